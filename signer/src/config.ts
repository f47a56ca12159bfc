/** Every setting of the signer, with its default and what it means. Nothing else reads the environment. */
import { readFileSync } from 'node:fs'
import { ledgerUrls } from '@accredit/process/ledger-urls'
import Type, { type Static } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import { type Capability, capabilities } from './capabilities.js'
import { SetupError } from './errors.js'
import type { Token } from './keys/token.js'
import type { MutualTls } from './server/server.js'

export interface Config {
  /** DATABASE_URL: the role that owns the schema `signer`. */
  databaseUrl: string
  /** MASTER_KEY_FILE: wraps the data keys; mode 0600, made by `init` when missing. */
  masterKeyFile: string
  /**
   * MASTER_KEY_MODULE (the library of a PKCS#11 token), MASTER_KEY_TOKEN (its label) and MASTER_KEY_PIN: new master keys
   * are made in this token, and the file only names them.
   */
  masterKeyToken?: Token | undefined
  /** CHAIN_READER: the ledger's role, which may read how far the signer has seen it; nobody's with LEDGER_URLS. */
  chainReader: string | undefined
  /**
   * LEDGER_URL: WebSocket address of the ledger's JSON-RPC; LEDGER_TOKEN: its path, where that is a secret of its own. Or
   * LEDGER_URLS: the addresses of several nodes of a network, separated by commas, which are tried in turn.
   */
  ledgerUrls: string[]
  /** LEDGER_FINALITY: the rule by which a block is final there. */
  finality: 'instant' | 'grandpa'
  /**
   * SIGNER_SOCKET: a Unix socket; or SIGNER_PORT, SIGNER_HOST (127.0.0.1) and SIGNER_TOKEN, of at least 32 characters.
   * Any host but this one takes mutual TLS: SIGNER_TLS_CERT_FILE, SIGNER_TLS_KEY_FILE, and SIGNER_TLS_CA_FILE, which
   * issued the certificates of those who may call.
   */
  door: Door
  /**
   * SIGNER_HOLD_MS: the time of silence after which another signer that waits for the database may cut this one off.
   */
  holdMs: number
  /** FEE_ACCOUNT_MIN: below this balance (smallest units) nothing new is submitted. */
  feeAccountMinimum: bigint
  /** SIGNER_CAPABILITIES (keys,sign,act): the capabilities of callers; `export` has to be named to be had. */
  granted: ReadonlySet<Capability>
  /**
   * SIGNER_KEYS_PER_MINUTE (60000 requests for keys), SIGNER_SIGN_PER_MINUTE (120000 signatures), SIGNER_ACT_PER_MINUTE (60000
   * actions), SIGNER_EXPORT_PER_MINUTE (40 private keys; a DID has three or more, so that is 13 of them at most).
   */
  perMinute: Record<Capability, number>
  /** CLOCK_OFFSET_FILE: moves the clock, in tests only (ACCREDIT_TEST=1). */
  clockOffsetFile: string | undefined
  /**
   * SIGNER_METRICS_PORT: where metrics are served to Prometheus, on METRICS_HOST (127.0.0.1); nowhere when not set.
   */
  metrics: { host: string; port: number } | undefined
  /** OTEL_EXPORTER_OTLP_ENDPOINT: the receiver of traces, OTLP over HTTP; without one none are made. */
  isTraced: boolean
  /** ACCREDIT_SUPERVISED=1: stop when standard input ends. */
  isSupervised: boolean
  /** LOG_LEVEL (info). */
  logLevel: string
}

export type Door = { socket: string } | { host: string; port: number; token: string; tls: MutualTls | undefined }

const Environment = Type.Object({
  DATABASE_URL: Type.String({ pattern: '^postgres(ql)?://' }),
  MASTER_KEY_FILE: Type.String({ minLength: 1 }),
  MASTER_KEY_MODULE: Type.Optional(Type.String()),
  MASTER_KEY_TOKEN: Type.Optional(Type.String()),
  MASTER_KEY_PIN: Type.Optional(Type.String()),
  CHAIN_READER: Type.Optional(Type.String()),
  LEDGER_URL: Type.Optional(Type.String({ pattern: '^wss?://' })),
  LEDGER_URLS: Type.Optional(Type.String()),
  LEDGER_TOKEN: Type.Optional(Type.String({ pattern: '^[\\w-]{32,}$' })),
  LEDGER_FINALITY: Type.Optional(Type.Union([Type.Literal('instant'), Type.Literal('grandpa')])),
  SIGNER_SOCKET: Type.Optional(Type.String()),
  SIGNER_HOST: Type.Optional(Type.String()),
  SIGNER_PORT: Type.Optional(Type.String({ pattern: '^[0-9]{1,5}$' })),
  SIGNER_TLS_CERT_FILE: Type.Optional(Type.String()),
  SIGNER_TLS_KEY_FILE: Type.Optional(Type.String()),
  SIGNER_TLS_CA_FILE: Type.Optional(Type.String()),
  SIGNER_HOLD_MS: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{3,6}$' })),
  SIGNER_TOKEN: Type.Optional(Type.String({ minLength: 32 })),
  FEE_ACCOUNT_MIN: Type.Optional(Type.String({ pattern: '^[0-9]+$' })),
  SIGNER_CAPABILITIES: Type.Optional(Type.String()),
  CLOCK_OFFSET_FILE: Type.Optional(Type.String()),
  SIGNER_METRICS_PORT: Type.Optional(Type.String({ pattern: '^[0-9]{1,5}$' })),
  METRICS_HOST: Type.Optional(Type.String()),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(Type.String()),
  ACCREDIT_TEST: Type.Optional(Type.String()),
  ACCREDIT_SUPERVISED: Type.Optional(Type.String()),
  LOG_LEVEL: Type.Optional(Type.String()),
})
type Environment = Static<typeof Environment>

/** The approximate fee for one extrinsic that is as heavy as a block can be. */
const usualMinimum = 1_000_000_000_000n

const usualHoldMs = 15_000

const usualPerMinute: Record<Capability, number> = { keys: 60_000, sign: 120_000, act: 60_000, export: 40 }

/** The settings that `init` and the key commands need; the others are for the running signer. */
export type StoreConfig = Pick<Config, 'databaseUrl' | 'masterKeyFile' | 'masterKeyToken'> & {
  chainReader?: string | undefined
}

export function readStoreConfig(environment: NodeJS.ProcessEnv): StoreConfig {
  return storeOf(parse(environment))
}

const storeOf = (set: Environment) => ({
  databaseUrl: set.DATABASE_URL,
  masterKeyFile: set.MASTER_KEY_FILE,
  masterKeyToken: readToken(set),
  chainReader: set.LEDGER_URLS === undefined ? set.CHAIN_READER : undefined,
})

export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const set = parse(environment)
  if (set.CLOCK_OFFSET_FILE !== undefined && set.ACCREDIT_TEST !== '1') {
    throw new SetupError('CLOCK_OFFSET_FILE moves the clock and is for tests: it needs ACCREDIT_TEST=1.')
  }
  return {
    ...storeOf(set),
    ledgerUrls: readLedgerUrls(set),
    finality: set.LEDGER_FINALITY ?? 'instant',
    door: readDoor(set),
    holdMs: Number(set.SIGNER_HOLD_MS ?? usualHoldMs),
    feeAccountMinimum: BigInt(set.FEE_ACCOUNT_MIN ?? usualMinimum),
    granted: readCapabilities(set.SIGNER_CAPABILITIES ?? 'keys,sign,act'),
    perMinute: readCaps(environment),
    clockOffsetFile: set.CLOCK_OFFSET_FILE,
    metrics:
      set.SIGNER_METRICS_PORT === undefined
        ? undefined
        : { host: set.METRICS_HOST ?? '127.0.0.1', port: Number(set.SIGNER_METRICS_PORT) },
    isTraced: set.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    isSupervised: set.ACCREDIT_SUPERVISED === '1',
    logLevel: set.LOG_LEVEL ?? 'info',
  }
}

function readLedgerUrls(set: Environment): string[] {
  try {
    return ledgerUrls(set)
  } catch (error) {
    throw new SetupError(error instanceof Error ? error.message : String(error))
  }
}

const NO_POSTGRES = 'DATABASE_URL is no URL of a Postgres database: expected postgres://role@host:port/database.'

function parse(environment: NodeJS.ProcessEnv): Environment {
  const named = Object.keys(Environment.properties).map((name) => [name, environment[name] || undefined])
  const set: unknown = Object.fromEntries(named.filter(([, value]) => value !== undefined))
  if (Check(Environment, set)) {
    if (!URL.canParse(set.DATABASE_URL)) throw new SetupError(NO_POSTGRES)
    return set
  }
  const required = ['DATABASE_URL', 'MASTER_KEY_FILE'].filter((name) => !environment[name])
  if (required.length > 0) throw new SetupError(`Not set: ${required.join(', ')}.`)
  const [, errors] = Errors(Environment, set)
  const wrong = errors.map(({ instancePath }) => instancePath.slice(1))
  // The message leaves the value out, which may hold a password.
  if (wrong.includes('DATABASE_URL')) throw new SetupError(NO_POSTGRES)
  throw new SetupError(`${[...new Set(wrong)].join(', ')} cannot have this value.`)
}

function readToken(set: Environment): Token | undefined {
  const { MASTER_KEY_MODULE: module, MASTER_KEY_TOKEN: label, MASTER_KEY_PIN: pin } = set
  if ([module, label, pin].every((setting) => setting === undefined)) return undefined
  if (module === undefined || label === undefined || pin === undefined)
    throw new SetupError('MASTER_KEY_MODULE, MASTER_KEY_TOKEN and MASTER_KEY_PIN_FILE belong together.')
  return { module, label, pin }
}

function readDoor(set: Environment): Door {
  if (set.SIGNER_SOCKET !== undefined) return { socket: set.SIGNER_SOCKET }
  if (set.SIGNER_PORT === undefined) throw new SetupError('SIGNER_SOCKET or SIGNER_PORT has to be set.')
  if (set.SIGNER_TOKEN === undefined) {
    throw new SetupError('The signer listens on TCP only with a SIGNER_TOKEN of at least 32 characters.')
  }
  const host = set.SIGNER_HOST ?? '127.0.0.1'
  const tls = readTls(set)
  if (tls === undefined && !isLoopback(host))
    throw new SetupError(
      `The signer listens on ${host} only with mutual TLS: SIGNER_TLS_CERT_FILE, SIGNER_TLS_KEY_FILE and SIGNER_TLS_CA_FILE.`,
    )
  return { host, port: Number(set.SIGNER_PORT), token: set.SIGNER_TOKEN, tls }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host)

function readTls(set: Environment): MutualTls | undefined {
  const files = { cert: set.SIGNER_TLS_CERT_FILE, key: set.SIGNER_TLS_KEY_FILE, ca: set.SIGNER_TLS_CA_FILE }
  if (Object.values(files).every((file) => file === undefined)) return undefined
  const { cert, key, ca } = files
  if (cert === undefined || key === undefined || ca === undefined)
    throw new SetupError('SIGNER_TLS_CERT_FILE, SIGNER_TLS_KEY_FILE and SIGNER_TLS_CA_FILE belong together.')
  return { cert: pemIn(cert), key: pemIn(key), ca: pemIn(ca) }
}

function pemIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new SetupError(`${file} cannot be read: the signer needs it for TLS.`)
  }
}

function readCapabilities(list: string): Set<Capability> {
  const names = list.split(',').map((name) => name.trim())
  const granted = capabilities.filter((capability) => names.includes(capability))
  if (granted.length !== names.length) {
    throw new SetupError(`SIGNER_CAPABILITIES may name ${capabilities.join(', ')}.`)
  }
  return new Set(granted)
}

function readCaps(environment: NodeJS.ProcessEnv): Record<Capability, number> {
  const caps = { ...usualPerMinute }
  for (const capability of capabilities) {
    const value = Number(environment[`SIGNER_${capability.toUpperCase()}_PER_MINUTE`] ?? caps[capability])
    if (!Number.isInteger(value) || value < 1) {
      throw new SetupError(`SIGNER_${capability.toUpperCase()}_PER_MINUTE has to be a whole number above 0.`)
    }
    caps[capability] = value
  }
  return caps
}
