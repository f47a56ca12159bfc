import { join } from 'node:path'
import type { Rooms } from '../database/roles.js'
import type { Environment } from '../options.js'
import { journalFile } from '../state/journal.js'
import { parseObject } from './log-lines.js'
import type { ProcessSpec } from './supervisor.js'

/** The facts that the processes of one installation need to know of each other. */
export interface Site {
  projectRoot: string
  stateDir: string
  environment: Environment
  apiPort: number
  ledgerPort: number
  /** The nodes of a network of validators; undefined: the ledger is a process of this installation. */
  ledgerUrls?: string[] | undefined
  /** The token by which our own processes get into the ledger, however many others are connected. */
  ledgerToken: string
  signerSocket: string
  feeAccount: string
  rooms: Rooms
  /** The file by which tests turn the clock. */
  clockOffsetFile?: string | undefined
}

export const publicUrl = (site: Pick<Site, 'apiPort'>): string => `http://127.0.0.1:${site.apiPort}`
export const ledgerUrl = (site: Pick<Site, 'ledgerPort'>): string => `ws://127.0.0.1:${site.ledgerPort}`
export const ownLedgerUrl = (site: Pick<Site, 'ledgerPort' | 'ledgerToken'>): string =>
  `${ledgerUrl(site)}/${site.ledgerToken}`
/**
 * The settings of those who speak to the ledger.
 * @param own the address of the installation's own ledger, which counts where there are no nodes of a network
 */
export const ledgerSettings = (own: string, nodes: readonly string[] | undefined): Record<string, string> =>
  nodes === undefined
    ? { LEDGER_URL: own, LEDGER_FINALITY: 'instant' }
    : { LEDGER_URLS: nodes.join(), LEDGER_FINALITY: 'grandpa' }

const keyFile = (site: Pick<Site, 'stateDir'>, name: string) => join(site.stateDir, 'keys', name)

/** The settings that the user may choose; everything else is decided here. */
function given(...names: string[]): Record<string, string> {
  const entries = names.map((name) => [name, process.env[name] ?? ''] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

export const signerEnvironment = (site: Omit<Site, 'feeAccount'>) => ({
  ...common(site),
  DATABASE_URL: site.rooms.urls.signer,
  ...ledgerSettings(ownLedgerUrl(site), site.ledgerUrls),
  SIGNER_SOCKET: site.signerSocket,
  MASTER_KEY_FILE: keyFile(site, 'master.key'),
  CHAIN_READER: site.rooms.roleNames.chain,
  // `POST /dids/{did}/export` needs the last capability: a user who wants no key to leave here sets the others only.
  SIGNER_CAPABILITIES: 'keys,sign,act,export',
  ...given('SIGNER_CAPABILITIES', 'SIGNER_EXPORT_PER_MINUTE'),
  ...given('MASTER_KEY_MODULE', 'MASTER_KEY_TOKEN', 'MASTER_KEY_PIN_FILE'),
})

/** Only the migrations get the role that owns everything. */
export const migrationEnvironment = (site: Omit<Site, 'feeAccount'>) => ({
  ...apiEnvironment(site),
  MIGRATION_DATABASE_URL: site.rooms.migrationUrl,
})

export const apiEnvironment = (site: Omit<Site, 'feeAccount'>) => ({
  ...common(site),
  ENVIRONMENT: site.environment,
  DATABASE_URL: site.rooms.urls.api,
  SYSTEM_DATABASE_URL: site.rooms.urls.system,
  SIGNER_SOCKET: site.signerSocket,
  API_HOST: '127.0.0.1',
  API_PORT: String(site.apiPort),
  PUBLIC_URL: publicUrl(site),
  SERVICE_KEY_FILE: keyFile(site, 'service.key'),
  ERASURE_JOURNAL_FILE: journalFile(site.stateDir),
  ...given('API_KEY_HEADERS', 'WRONG_KEYS_PER_MINUTE', 'DID_TYPE_ALIASES', 'TRUSTED_PROXIES', 'LOG_LEVEL'),
  // A developer's receivers are on this machine.
  ...(site.environment === 'sandbox' && { WEBHOOKS_TO_LOOPBACK: '1' }),
  ...given('WEBHOOKS_TO_LOOPBACK', 'WEBHOOK_TIMEOUT_MS'),
  ...given('MONITOR_ADDRESSES', 'SMTP_URL', 'MAIL_FROM', 'SESSION_SECONDS', 'PLANS_FILE', 'SPOOL_DIR'),
  ...given('RATE_LIMIT_REQUESTS', 'RATE_LIMIT_SECONDS', 'BODY_LIMIT_BYTES', 'JSON_DEPTH_LIMIT', 'LEDGER_WAIT_MS'),
  ...given('INDEX_MAX_LAG_MS', 'LEDGER_MAX_AGE_MS', 'SOURCE_URL', 'ERASURE_JOURNAL_DAYS'),
  ...given('REQUESTS_IN_WORK', 'REQUESTS_IN_WORK_PER_CALLER', 'REQUESTS_WAITING', 'REQUESTS_WAITING_PER_ADDRESS'),
  ...given('CONNECTIONS_PER_ADDRESS', 'SCHEMA_CHECK_MS', 'DATABASE_POOL'),
})

export function ledgerProcess(site: Site): ProcessSpec {
  return inBackground(site, 'ledger', 'chain/embedded/dist/main.js', {
    ...common(site),
    DATABASE_URL: site.rooms.urls.chain,
    LEDGER_HOST: '127.0.0.1',
    LEDGER_PORT: String(site.ledgerPort),
    LEDGER_TOKEN: site.ledgerToken,
    LEDGER_FEE_ACCOUNTS: site.feeAccount,
    LEDGER_KEY_FILE: keyFile(site, 'ledger.key'),
    ...given('LEDGER_ALLOWED_ORIGINS'),
  })
}

export const signerProcess = (site: Site): ProcessSpec =>
  ours(site, 'signer', 'signer/dist/main.js', signerEnvironment(site))

export function indexerProcess(site: Site): ProcessSpec {
  return inBackground(site, 'indexer', 'indexer/lib/main.js', {
    ...common(site),
    DATABASE_URL: site.rooms.urls.ledger,
    ...ledgerSettings(ownLedgerUrl(site), site.ledgerUrls),
    CHAIN_READER: site.rooms.roleNames.chain,
    INDEX_READERS: [site.rooms.roleNames.api, site.rooms.roleNames.system].join(','),
  })
}

export const apiProcess = (site: Site): ProcessSpec => ours(site, 'api', 'api/dist/main.js', apiEnvironment(site))

export const workerProcess = (site: Site): ProcessSpec =>
  inBackground(site, 'worker', 'api/dist/worker.js', apiEnvironment(site))

/** Gives a process a lower priority than those that requests wait for. */
const inBackground = (...process: Parameters<typeof ours>): ProcessSpec => ({ ...ours(...process), givesWay: true })

/** All load their code at the same time, and some wait for others: on a busy machine that takes minutes. */
const READY_WITHIN_MS = 240_000

function ours(site: Site, name: string, script: string, env: Record<string, string>): ProcessSpec {
  return {
    name,
    command: process.execPath,
    args: ['--enable-source-maps', join(site.projectRoot, script)],
    env,
    readyWithinMs: READY_WITHIN_MS,
    readyLine: (line) => {
      const message = parseObject(line)
      return message?.ready === name ? message : undefined
    },
  }
}

function common(site: Omit<Site, 'feeAccount'>): Record<string, string> {
  return {
    ACCREDIT_SUPERVISED: '1',
    NODE_ENV: 'production',
    ...(site.clockOffsetFile === undefined ? {} : { ACCREDIT_TEST: '1', CLOCK_OFFSET_FILE: site.clockOffsetFile }),
  }
}
