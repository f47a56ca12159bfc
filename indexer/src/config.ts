import { ledgerUrls } from '@accredit/process/ledger-urls'
import { metricsPort } from '@accredit/process/metrics-server'

/** Every setting of the indexer. Nothing else reads the environment. */
export interface Config {
  /** DATABASE_URL: Postgres, as the role that owns the schema. */
  databaseUrl: string
  /**
   * LEDGER_URL: WebSocket of the ledger's JSON-RPC; LEDGER_TOKEN: its path, where that is a secret of its own. Or
   * LEDGER_URLS: the addresses of several nodes of a network, separated by commas: one is read, the others stand in for it.
   */
  ledgerUrls: string[]
  /** LEDGER_FINALITY: what final means: `instant` (embedded: a block is final when it is made) or `grandpa` (what the network says). */
  finality: 'instant' | 'grandpa'
  /** LEDGER_ANSWER_MS: the longest wait for an answer of the ledger, 30000 where it is not set. */
  answerMs: number
  /**
   * INDEX_SCHEMA: the schema that is written: `ledger`, which everybody reads, or another one that is to take its
   * place.
   */
  schema: string
  /** INDEX_READERS: roles that may read the schema. */
  readers: string[]
  /**
   * CHAIN_READER: the ledger's role: it may read how far the index has seen the ledger, and nothing else; nobody's with
   * LEDGER_URLS.
   */
  chainReader: string | undefined
  /** INDEXER_METRICS_PORT: where metrics are served to Prometheus, on METRICS_HOST (127.0.0.1); nowhere when not set. */
  metrics: { host: string; port: number } | undefined
  /** OTEL_EXPORTER_OTLP_ENDPOINT: the receiver of traces, OTLP over HTTP; without one none are made. */
  isTraced: boolean
  /** ACCREDIT_SUPERVISED=1: stop when standard input ends, because the supervisor is gone. */
  isSupervised: boolean
}

/** The schema that everybody reads. */
export const LEDGER_SCHEMA = 'ledger'

export function configOf(env: NodeJS.ProcessEnv): Config {
  const schema = env.INDEX_SCHEMA ?? LEDGER_SCHEMA
  return {
    databaseUrl: connectionFor(postgresUrl(env, 'DATABASE_URL'), schema),
    schema,
    ledgerUrls: urlsOf(env),
    finality: finalityOf(env.LEDGER_FINALITY ?? 'instant'),
    answerMs: answerMsOf(env.LEDGER_ANSWER_MS ?? '30000'),
    readers: (env.INDEX_READERS ?? '').split(',').filter((role) => role !== ''),
    chainReader: env.LEDGER_URLS ? undefined : env.CHAIN_READER || undefined,
    metrics: metricsOf(env),
    isTraced: Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim()),
    isSupervised: env.ACCREDIT_SUPERVISED === '1',
  }
}

function urlsOf({ LEDGER_URL, LEDGER_URLS, LEDGER_TOKEN }: NodeJS.ProcessEnv): string[] {
  return ledgerUrls({ LEDGER_URL, LEDGER_URLS, LEDGER_TOKEN })
}

function metricsOf(env: NodeJS.ProcessEnv): Config['metrics'] {
  const port = metricsPort('INDEXER_METRICS_PORT', env)
  const host = env.METRICS_HOST?.trim() || '127.0.0.1'
  return port === undefined ? undefined : { host, port }
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name]
  if (value === undefined || value === '') throw new Error(`${name} is not set`)
  return value
}

/** A refusal never repeats the URL: it may hold a password. */
function postgresUrl(env: NodeJS.ProcessEnv, name: string): string {
  const value = required(env, name)
  if (/^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)) return value
  throw new Error(`${name} is no URL of a Postgres database: expected postgres://role@host:port/database`)
}

function finalityOf(text: string): Config['finality'] {
  if (text === 'instant' || text === 'grandpa') return text
  throw new Error(`LEDGER_FINALITY is '${text}': instant or grandpa expected`)
}

function answerMsOf(text: string): number {
  if (/^[1-9][0-9]{2,5}$/.test(text)) return Number(text)
  throw new Error(`LEDGER_ANSWER_MS is '${text}': 100 to 999999 milliseconds expected`)
}

/**
 * Tables are named without a schema, which the connection carries. Commits do not wait for the disk. That is safe
 * because a process that decides by the index writes its decision to the same Postgres server, by a commit that waits:
 * with it all that was committed before is on the disk. An index on another server may lose its end in a crash,
 * although decisions rest on it; it reads the lost part from the ledger again.
 */
function connectionFor(databaseUrl: string, schema: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('options', `-c search_path=${schema} -c synchronous_commit=off`)
  return url.toString()
}
