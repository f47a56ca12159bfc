import { compile } from '@fastify/proxy-addr'

/** The kinds of settings, each read with a sentence for what does not parse. */

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type Source = Readonly<Record<string, string | undefined>>

export const text = (source: Source, name: string, fallback: string): string => source[name]?.trim() || fallback

export function required(source: Source, name: string, what: string): string {
  const value = source[name]?.trim()
  if (!value) throw new ConfigError(`${name} is not set: ${what}`)
  return value
}

export function integer(source: Source, name: string, fallback: number, min: number, max: number): number {
  const raw = source[name]?.trim()
  if (!raw) return fallback
  const value = Number(raw)
  if (!Number.isInteger(value) || value < min || value > max)
    throw new ConfigError(`${name} is "${raw}": expected a whole number from ${min} to ${max}`)
  return value
}

export function oneOf<const T extends string>(source: Source, name: string, allowed: readonly T[], fallback: T): T {
  const raw = source[name]?.trim()
  if (!raw) return fallback
  const found = allowed.find((value) => value === raw)
  if (found === undefined) throw new ConfigError(`${name} is "${raw}": expected one of ${allowed.join(', ')}`)
  return found
}

export function url(source: Source, name: string, fallback: string): string {
  const raw = text(source, name, fallback)
  if (!URL.canParse(raw)) throw new ConfigError(`${name} is "${raw}": expected a URL`)
  return raw.replace(/\/+$/, '')
}

/** The address of something for people, to which pages may lead; undefined: not set. */
export function webAddress(source: Source, name: string): string | undefined {
  const raw = source[name]?.trim()
  if (!raw) return undefined
  if (!/^https?:\/\//i.test(raw) || !URL.canParse(raw))
    throw new ConfigError(`${name} is "${raw}": expected an address with https:// or http://`)
  return raw
}

/** The error names the fault and leaves the URL out, which may hold a password. */
export function postgresUrl(name: string, value: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(value) || !URL.canParse(value))
    throw new ConfigError(`${name} is no URL of a Postgres database: expected postgres://role@host:port/database`)
  return value
}

/** Adds a password to a URL. The password is encoded: it may contain characters that mean something in a URL. */
export function withPassword(databaseUrl: string, password: string | undefined): string {
  if (!password) return databaseUrl
  const complete = new URL(databaseUrl)
  complete.password = encodeURIComponent(password)
  return complete.href
}

export const list = (source: Source, name: string, fallback = ''): string[] =>
  text(source, name, fallback)
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

/** Addresses, networks (10.0.0.0/8), or the names loopback, linklocal and uniquelocal (the private ranges). */
export function addresses(source: Source, name: string, fallback: string): string[] {
  const ranges = list(source, name, fallback)
  try {
    compile(ranges)
  } catch {
    throw new ConfigError(
      `${name} is "${ranges}": expected addresses, networks as 10.0.0.0/8, or loopback, linklocal, uniquelocal`,
    )
  }
  return ranges
}

export const flag = (source: Source, name: string): boolean => ['1', 'true', 'yes'].includes(text(source, name, '0'))
