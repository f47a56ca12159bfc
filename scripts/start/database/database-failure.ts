import pg from 'pg'
import { codeOf, Refusal } from '../refusal.js'

const EXAMPLE = 'postgres://role:password@host:5432/database'

/** Refuses a URL of no Postgres database. The URL is never told: it may hold a password. */
export function requirePostgresUrl(url: string, setting = 'DATABASE_URL'): void {
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(url) ?? []
  if (!/^postgres(?:ql)?$/i.test(scheme))
    throw new Refusal(
      `${setting} is no URL of a Postgres database${scheme === '' ? '' : ` (it begins with ${scheme}:)`}: expected ${EXAMPLE}.`,
    )
  if (!URL.canParse(url))
    throw new Refusal(
      `${setting} cannot be read as a URL: characters such as / # ? @ and % in a password are written percent-encoded.`,
    )
}

/** Checks that a database answers, with a sentence instead of a driver's error when it does not. */
export async function requireDatabase(url: string, setting = 'DATABASE_URL'): Promise<void> {
  requirePostgresUrl(url, setting)
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000 })
  // The waiting code gets the error of a broken connection, which without a listener would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
  } catch (error) {
    throw new Refusal(failureOf(url, setting, error))
  } finally {
    await client.end().catch(() => {})
  }
}

function failureOf(url: string, setting: string, error: unknown): string {
  const { host, username, pathname } = new URL(url)
  const role = decodeURIComponent(username) || 'the role that the driver chose'
  const place = host || 'local socket'
  switch (codeOf(error)) {
    case '28P01':
      return `The database of ${setting} (${place}) refuses the password of ${role}.`
    case '28000':
      return `The database of ${setting} (${place}) lets ${role} in neither with this password nor from this machine.`
    case '3D000':
      return `The server of ${setting} (${place}) has no database ${pathname.slice(1)}: make it first (createdb).`
    default:
      return `The database of ${setting} cannot be reached (${place}): ${isNoPostgres(error) ? 'what answers there is no PostgreSQL' : codeOf(error)}.`
  }
}

/**
 * Matches the driver's words for bytes that are no message of the protocol, and for a server that hangs up at its first
 * one.
 */
const isNoPostgres = (error: unknown): boolean =>
  error instanceof Error &&
  /invalid response|unexpected message|Connection terminated unexpectedly/i.test(error.message)
