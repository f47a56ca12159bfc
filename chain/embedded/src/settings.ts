import { readFileSync } from 'node:fs'
import type { Clock } from './ledger.js'

export interface Settings {
  /** DATABASE_URL: the role that owns schema `chain`. */
  readonly databaseUrl: string
  /** LEDGER_HOST: 127.0.0.1 unless set; nothing else should reach the ledger. */
  readonly host: string
  /** LEDGER_PORT: 0, the default, takes any free one; the ready line names it. */
  readonly port: number
  /**
   * LEDGER_ALLOWED_ORIGINS: web pages whose scripts may speak to it, as `https://polkadot.js.org`, separated by commas;
   * none unless set.
   */
  readonly allowedOrigins: readonly string[]
  /**
   * LEDGER_TOKEN: at least 32 characters; none unless set. A client that has it as the path of the ledger's URL, as
   * signer and indexer do, always gets in, however many others are connected.
   */
  readonly ownToken: string | undefined
  /**
   * LEDGER_READ_ONLY=1: only who has the token submits extrinsics, so that the port can be published to readers; none
   * without LEDGER_TOKEN.
   */
  readonly isReadOnly: boolean
  /** LEDGER_FEE_ACCOUNTS, or LEDGER_FEE_ACCOUNTS_FILE: SS58 addresses, separated by commas or white space. */
  readonly feeAccounts: readonly string[]
  /** LEDGER_KEY_FILE: made when missing, mode 0600. */
  readonly keyFile: string
  /** LEDGER_LOG_LEVEL: info unless set. */
  readonly logLevel: string
  /** ACCREDIT_SUPERVISED=1: stop when standard input ends, because then the process that started us is gone. */
  readonly isSupervised: boolean
  /** CLOCK_OFFSET_FILE: a file with milliseconds to add to the clock; for tests, with ACCREDIT_TEST=1 only. */
  readonly clock: Clock
}

export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  return {
    databaseUrl: postgresUrl(environment, 'DATABASE_URL'),
    host: environment.LEDGER_HOST ?? '127.0.0.1',
    port: portOf(environment.LEDGER_PORT ?? '0'),
    allowedOrigins: (environment.LEDGER_ALLOWED_ORIGINS ?? '').split(/[\s,]+/).filter((origin) => origin !== ''),
    ownToken: tokenOf(environment.LEDGER_TOKEN),
    isReadOnly: readOnlyIn(environment),
    feeAccounts: feeAccountsOf(environment),
    keyFile: required(environment, 'LEDGER_KEY_FILE'),
    logLevel: environment.LEDGER_LOG_LEVEL ?? 'info',
    isSupervised: environment.ACCREDIT_SUPERVISED === '1',
    clock: clockOf(environment),
  }
}

function required(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}

/** Reads the URL; an error never repeats it, since it may hold a password. */
function postgresUrl(environment: NodeJS.ProcessEnv, name: string): string {
  const value = required(environment, name)
  if (/^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)) return value
  throw new Error(`${name} is no URL of a Postgres database: expected postgres://role@host:port/database`)
}

function portOf(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`LEDGER_PORT is not a port: ${text}`)
  return port
}

function tokenOf(text: string | undefined): string | undefined {
  if (!text) return undefined
  if (/^[\w-]{32,}$/.test(text)) return text
  throw new Error('LEDGER_TOKEN has at least 32 letters, digits, - and _')
}

function readOnlyIn({ LEDGER_READ_ONLY, LEDGER_TOKEN }: NodeJS.ProcessEnv): boolean {
  if (LEDGER_READ_ONLY !== '1') return false
  if (!LEDGER_TOKEN) throw new Error('LEDGER_READ_ONLY needs LEDGER_TOKEN: without one nobody could write')
  return true
}

function feeAccountsOf(environment: NodeJS.ProcessEnv): string[] {
  const file = environment.LEDGER_FEE_ACCOUNTS_FILE
  const text = environment.LEDGER_FEE_ACCOUNTS ?? (file ? readFileSync(file, 'utf8') : '')
  return text.split(/[\s,]+/).filter((account) => account !== '')
}

function clockOf(environment: NodeJS.ProcessEnv): Clock {
  const file = environment.CLOCK_OFFSET_FILE
  if (!file) return Date.now
  if (environment.ACCREDIT_TEST !== '1') throw new Error('CLOCK_OFFSET_FILE is for tests: ACCREDIT_TEST is not 1')
  return () => Date.now() + offsetIn(file)
}

function offsetIn(file: string): number {
  const offset = Number(readFileSync(file, 'utf8').trim() || '0')
  if (!Number.isFinite(offset)) throw new Error(`CLOCK_OFFSET_FILE holds no number of milliseconds: ${file}`)
  return offset
}
