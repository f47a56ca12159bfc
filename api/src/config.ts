import { tmpdir } from 'node:os'
import { type Plans, readPlans } from './plans.js'
import {
  addresses,
  ConfigError,
  flag,
  integer,
  list,
  oneOf,
  postgresUrl,
  required,
  type Source,
  text,
  url,
  webAddress,
  withPassword,
} from './settings.js'

/**
 * Every setting of the api and the worker. Nothing else reads the environment.
 * A setting that does not parse stops the start with a sentence that names it.
 */
export type EnvironmentName = 'sandbox' | 'production'

/** The error leaves the URL out, which may hold a password. */
function smtpUrl(source: Source): string | undefined {
  const value = source.SMTP_URL?.trim()
  if (!value) return undefined
  if (!/^smtps?:\/\//.test(value) || !URL.canParse(value))
    throw new ConfigError('SMTP_URL is no URL of a mail server: expected smtps://user:password@host or smtp://host:587')
  return value
}

/** The files of mutual TLS with the signer: all three, or none. */
function signerTls(source: Source): { cert: string; key: string; ca: string } | undefined {
  const fileOf = (name: string): string => source[`SIGNER_TLS_${name}_FILE`]?.trim() ?? ''
  const [cert, key, ca] = [fileOf('CERT'), fileOf('KEY'), fileOf('CA')]
  if (cert === '' && key === '' && ca === '') return undefined
  if (cert && key && ca) return { cert, key, ca }
  throw new ConfigError('SIGNER_TLS_CERT_FILE, SIGNER_TLS_KEY_FILE and SIGNER_TLS_CA_FILE belong together')
}

function plans(source: Source): Plans {
  const file = source.PLANS_FILE?.trim() || undefined
  try {
    return readPlans(file)
  } catch (error) {
    throw new ConfigError(`PLANS_FILE is "${file}": ${error instanceof Error ? error.message : error}`)
  }
}

export type Config = ReturnType<typeof readConfig>

export function readConfig(source: Source) {
  const host = text(source, 'API_HOST', '127.0.0.1')
  const port = integer(source, 'API_PORT', 3300, 0, 65_535)
  const databaseUrl = postgresUrl(
    'DATABASE_URL',
    required(source, 'DATABASE_URL', 'the Postgres database, as the role that serves requests'),
  )
  const databaseUrlOf = (name: string): string => postgresUrl(name, text(source, name, databaseUrl))
  const apiUrl = url(source, 'PUBLIC_URL', `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`)
  const webUrl = url(source, 'WEB_URL', apiUrl)
  const testing = flag(source, 'ACCREDIT_TEST')
  const clockOffsetFile = source.CLOCK_OFFSET_FILE?.trim() || undefined
  if (clockOffsetFile && !testing)
    throw new ConfigError('CLOCK_OFFSET_FILE moves the clock and is refused outside tests')

  return {
    /** ENVIRONMENT: `sandbox` (default) or `production`; keys carry it in their prefix. */
    environment: oneOf(source, 'ENVIRONMENT', ['sandbox', 'production'], 'sandbox'),
    /** API_HOST (127.0.0.1), API_PORT (3300; 0 takes any free one). */
    host,
    port,
    /** PUBLIC_URL: the address at which clients call the api; it stands in signed documents and must never change. */
    apiUrl,
    /**
     * WEB_URL: the public host of pages that people open (invitations, credentials); SCHEMA_URL: that of hosted schemas
     * and contexts. Default PUBLIC_URL.
     */
    webUrl,
    /** SOURCE_URL: where anyone gets the source of this software; pages name it to who wants to check a proof himself. */
    sourceUrl: webAddress(source, 'SOURCE_URL'),
    schemaUrl: url(source, 'SCHEMA_URL', apiUrl),
    /** SERVICE_KEY_FILE: 32 random bytes that secrets are derived from (see `deriveKey`); mode 0600, made by the first `migrate`. */
    serviceKeyFile: source.SERVICE_KEY_FILE?.trim() || undefined,
    /**
     * ERASURE_JOURNAL_FILE: a line for each deletion and erasure, without personal data; the worker carries them out again
     * in a database that does not know of them, as a restored copy is.
     */
    erasureJournalFile: source.ERASURE_JOURNAL_FILE?.trim() || undefined,
    /**
     * ERASURE_JOURNAL_DAYS (0: for ever): how long its lines stay; longer, by a day at least, than any copy of the database
     * that may be restored.
     */
    erasureJournalDays: integer(source, 'ERASURE_JOURNAL_DAYS', 0, 0, 36_500),
    database: {
      /** DATABASE_URL: the tenants' role, bound by row-level security. A password that is not in it comes from PGPASSWORD. */
      url: databaseUrl,
      /**
       * SYSTEM_DATABASE_URL: the role for authentication and the worker; default DATABASE_URL (one role for all, with a warning).
       * SYSTEM_DATABASE_PASSWORD: its password, when that is not in the URL.
       */
      systemUrl: withPassword(databaseUrlOf('SYSTEM_DATABASE_URL'), source.SYSTEM_DATABASE_PASSWORD),
      /** MIGRATION_DATABASE_URL: the owner of the tables; only `migrate` uses it. Default DATABASE_URL. */
      migrationUrl: databaseUrlOf('MIGRATION_DATABASE_URL'),
      /** DATABASE_POOL (12; the index is read through as many), SYSTEM_DATABASE_POOL (6): connections of the HTTP process; the worker takes few. */
      pool: integer(source, 'DATABASE_POOL', 12, 1, 500),
      systemPool: integer(source, 'SYSTEM_DATABASE_POOL', 6, 1, 500),
    },
    signer: {
      /**
       * SIGNER_SOCKET: the signer's Unix socket; or in its place SIGNER_URL with SIGNER_TOKEN. On another host its URL is https, and
       * SIGNER_TLS_CERT_FILE, SIGNER_TLS_KEY_FILE and SIGNER_TLS_CA_FILE name what this end shows, and who issued the
       * signer's certificate.
       */
      socket: source.SIGNER_SOCKET?.trim() || undefined,
      url: source.SIGNER_URL?.trim() || undefined,
      token: source.SIGNER_TOKEN?.trim() || undefined,
      tls: signerTls(source),
    },
    /** REDIS_URL: the queue stands on Redis when set, on Postgres otherwise. */
    redisUrl: source.REDIS_URL?.trim() || undefined,
    ledger: {
      /** LEDGER_WAIT_MS (5000): how long an operation waits for its ledger action to be indexed. */
      waitMs: integer(source, 'LEDGER_WAIT_MS', 5000, 0, 120_000),
      /** INDEX_MAX_LAG_MS (30000): beyond it questions of status and trust are 503. */
      indexMaxLagMs: integer(source, 'INDEX_MAX_LAG_MS', 30_000, 100, 86_400_000),
      /**
       * LEDGER_MAX_AGE_MS (60000): on a network of validators, the age of the newest final block beyond which questions of
       * status and trust are 503: finality stands still, or the node is cut off.
       */
      maxAgeMs: integer(source, 'LEDGER_MAX_AGE_MS', 60_000, 1000, 86_400_000),
      /** FOLLOWER_POLL_MS (5000): the safety net below the notifications. */
      pollMs: integer(source, 'FOLLOWER_POLL_MS', 5000, 10, 60_000),
    },
    /** Actions prepared for DIDs that sign with their own keys (POST /ledger/actions/prepare), per team. */
    preparedActions: {
      /** PREPARED_ACTIONS_OPEN (100): how many may wait for their signatures; beyond it 409. */
      open: integer(source, 'PREPARED_ACTIONS_OPEN', 100, 1, 1_000_000),
      /** PREPARED_ACTIONS_PER_MINUTE (60): how many may be asked for; beyond it 429. */
      perMinute: integer(source, 'PREPARED_ACTIONS_PER_MINUTE', 60, 1, 1_000_000),
      /** PREPARED_ACTION_SECONDS (900): how long there is time to sign and to get on the ledger, which takes an hour at most. */
      validSeconds: integer(source, 'PREPARED_ACTION_SECONDS', 900, 10, 3540),
    },
    /**
     * CONVENER_WAIT_SECONDS (604800): how long an action waits for the signature of a convener with a key of its own.
     */
    convenerWaitSeconds: integer(source, 'CONVENER_WAIT_SECONDS', 604_800, 1, 31_536_000),
    /** VENDOR_FEE_MIN (0): the least fee of a paid verification, in millionths of a currency unit; no price but 0 is below it. */
    vendorFeeMin: integer(source, 'VENDOR_FEE_MIN', 0, 0, Number.MAX_SAFE_INTEGER),
    limits: {
      /** BODY_LIMIT_BYTES (1 MiB), JSON_DEPTH_LIMIT (100). */
      bodyBytes: integer(source, 'BODY_LIMIT_BYTES', 1_048_576, 1024, 104_857_600),
      jsonDepth: integer(source, 'JSON_DEPTH_LIMIT', 100, 8, 1000),
      /** RATE_LIMIT_REQUESTS (200) per RATE_LIMIT_SECONDS (120) and key, in production; 0 turns it off. */
      requests: integer(source, 'RATE_LIMIT_REQUESTS', 200, 0, 1_000_000),
      windowSeconds: integer(source, 'RATE_LIMIT_SECONDS', 120, 1, 86_400),
      /**
       * WRONG_KEYS_PER_MINUTE (60; 0 turns it off): how many unknown keys an address may send; IPv6 addresses count by
       * their /64.
       */
      wrongKeysPerMinute: integer(source, 'WRONG_KEYS_PER_MINUTE', 60, 0, 1_000_000),
      /** REQUEST_TIMEOUT_MS (60000): how long a request's bytes may take to arrive. */
      requestTimeoutMs: integer(source, 'REQUEST_TIMEOUT_MS', 60_000, 1000, 600_000),
      /** SCHEMA_CHECK_MS (2000): the run time that compiling and checking all schemas of one request may take together. */
      schemaMs: integer(source, 'SCHEMA_CHECK_MS', 2000, 100, 60_000),
      /**
       * REQUESTS_IN_WORK (32): requests at once in this process, REQUESTS_IN_WORK_PER_CALLER (4): those of one address,
       * or one team. Less than DATABASE_POOL.
       */
      inWork: integer(source, 'REQUESTS_IN_WORK', 32, 1, 10_000),
      inWorkPerCaller: integer(source, 'REQUESTS_IN_WORK_PER_CALLER', 4, 1, 10_000),
      /**
       * REQUESTS_WAITING (4096): requests that wait for their turn, REQUESTS_WAITING_PER_ADDRESS (512): those of one
       * address; beyond them 503 and 429.
       */
      waiting: integer(source, 'REQUESTS_WAITING', 4096, 1, 1_000_000),
      waitingPerAddress: integer(source, 'REQUESTS_WAITING_PER_ADDRESS', 512, 1, 1_000_000),
      /**
       * CONNECTIONS_PER_ADDRESS (256): connections at once; those of trusted proxies that tell whose requests they
       * forward are not counted.
       */
      connectionsPerAddress: integer(source, 'CONNECTIONS_PER_ADDRESS', 256, 1, 100_000),
      /** STREAM_STALL_MS (60000): how long a reader of a streamed answer may read nothing of it. */
      streamStallMs: integer(source, 'STREAM_STALL_MS', 60_000, 100, 600_000),
    },
    /**
     * PLANS_FILE: the plans of a live deployment, as JSON: { "default": NAME, "plans": { NAME: { "transactions" (a month),
     * "members", "subAccounts", "requests" (of a key in RATE_LIMIT_SECONDS), "isOffered" } } }; what a plan leaves out has
     * no limit. Without a file: trial, standard, and unlimited, which is the default one.
     */
    plans: plans(source),
    foreignLists: {
      /**
       * FOREIGN_LIST_CACHE_SECONDS (10; 0 turns it off): how long a status list of another host may be used again
       * without being fetched. A revocation there is seen here that late at most. A list that allows less (`ttl`,
       * `validUntil`, `expirationDate`) lives shorter; one that could not be fetched, or is not trusted, is not kept at
       * all.
       */
      cacheSeconds: integer(source, 'FOREIGN_LIST_CACHE_SECONDS', 10, 0, 300),
      /** FOREIGN_LIST_CACHE_BYTES (16 MiB): what such lists may take in memory. */
      cacheBytes: integer(source, 'FOREIGN_LIST_CACHE_BYTES', 16_777_216, 0, 1_073_741_824),
    },
    webhooks: {
      /** WEBHOOKS_TO_LOOPBACK: allows receivers on this machine, over plain HTTP too, for development. */
      toLoopback: flag(source, 'WEBHOOKS_TO_LOOPBACK'),
      /** WEBHOOK_TIMEOUT_MS (10000): the time that a receiver has for its answer. */
      timeoutMs: integer(source, 'WEBHOOK_TIMEOUT_MS', 10_000, 100, 60_000),
    },
    /**
     * SPOOL_DIR (the system's folder for temporary files): where an export stands while its reader takes it, sealed and
     * without a name. It may be as large as what a team has.
     */
    spoolDir: text(source, 'SPOOL_DIR', tmpdir()),
    /** SESSION_SECONDS (43200): how long a person who signed in stays so. */
    sessionSeconds: integer(source, 'SESSION_SECONDS', 43_200, 60, 2_592_000),
    mail: {
      /**
       * SMTP_URL: the server that takes our mails (sign-in links, invitations, credentials to their holders), as
       * smtps://user:password@host or smtp://host:587; without one the first two stand in the log, and none is delivered.
       */
      smtpUrl: smtpUrl(source),
      /** MAIL_FROM (no-reply@ the host of WEB_URL): their sender. */
      from: text(source, 'MAIL_FROM', `Accredit <no-reply@${new URL(webUrl).hostname}>`),
    },
    /** API_KEY_HEADERS: further header names that carry a key, for clients of other services. */
    apiKeyHeaders: list(source, 'API_KEY_HEADERS').map((name) => name.toLowerCase()),
    /** DID_TYPE_ALIASES: further texts that mean a DID of this ledger in `type`, for clients of other services. */
    didTypeAliases: list(source, 'DID_TYPE_ALIASES', 'dock,cheqd'),
    /** TRUSTED_PROXIES (loopback): the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed. */
    trustedProxies: addresses(source, 'TRUSTED_PROXIES', 'loopback'),
    /**
     * MONITOR_ADDRESSES (loopback,linklocal,uniquelocal: this machine and private networks): clients that may read
     * /metrics, and the faults in /ready. All other clients, and those behind a proxy that TRUSTED_PROXIES does not
     * name, read in /ready whether the service is ready, and nothing of /metrics.
     */
    monitors: addresses(source, 'MONITOR_ADDRESSES', 'loopback,linklocal,uniquelocal'),
    metrics: {
      /** WORKER_METRICS_PORT: where the process of the jobs serves its metrics to Prometheus; nowhere when not set. */
      workerPort: source.WORKER_METRICS_PORT?.trim() ? integer(source, 'WORKER_METRICS_PORT', 0, 0, 65_535) : undefined,
      /** METRICS_HOST (127.0.0.1): the address that it listens on; it has no key, so the network decides who gets there. */
      host: text(source, 'METRICS_HOST', '127.0.0.1'),
    },
    /**
     * OTEL_EXPORTER_OTLP_ENDPOINT: the receiver of traces, OTLP over HTTP; without one nothing of OpenTelemetry is
     * loaded. Its library reads its other settings by itself.
     */
    isTraced: Boolean(source.OTEL_EXPORTER_OTLP_ENDPOINT?.trim()),
    /** LOG_LEVEL (info); SIGUSR2 switches it to debug, and back. */
    logLevel: oneOf(source, 'LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    /** ACCREDIT_SUPERVISED: stop when standard input ends. */
    supervised: flag(source, 'ACCREDIT_SUPERVISED'),
    /**
     * ACCREDIT_TEST: allows what only tests may do, such as CLOCK_OFFSET_FILE (milliseconds to add to the clock), and
     * refuses transactions inside others.
     */
    testing,
    clockOffsetFile,
  }
}
