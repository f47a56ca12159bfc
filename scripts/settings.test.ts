import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SECRETS } from '@accredit/process/secret-files'
import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { readConfig as readApi } from '../api/src/config.js'
import { readSettings as readLedger } from '../chain/embedded/src/settings.js'
import { readConfig as readSigner } from '../signer/src/config.js'
import { unlessSet } from '../test/support/compose.js'
import {
  apiProcess,
  indexerProcess,
  ledgerProcess,
  migrationEnvironment,
  type Site,
  signerProcess,
  workerProcess,
} from './start/processes/site.js'

/** The indexer is CommonJS, and is read in its compiled form. */
const { configOf: readIndexer }: { configOf: (env: NodeJS.ProcessEnv) => unknown } = createRequire(import.meta.url)(
  '../indexer/lib/config.js',
)

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const unique = (names: Iterable<string>) => [...new Set(names)].sort()

/** Lists the settings that a program reads from its environment when it has `set`. */
function namesRead(read: (environment: Record<string, string | undefined>) => unknown, set: Record<string, string>) {
  const names: string[] = []
  const environment: Record<string, string | undefined> = { ...set }
  const watched = new Proxy(environment, {
    get(target, name) {
      if (typeof name === 'string') names.push(name)
      return typeof name === 'string' ? target[name] : undefined
    },
  })
  read(watched)
  return unique(names)
}

const DATABASE_URL = 'postgres://x/y'
const LEDGER_URL = 'ws://x'
const clock = { ACCREDIT_TEST: '1', CLOCK_OFFSET_FILE: '/dev/null' }
const programs = {
  api: { file: 'api/src/config.ts', readme: 'api/README.md', read: namesRead(readApi, { DATABASE_URL, ...clock }) },
  signer: {
    file: 'signer/src/config.ts',
    readme: 'signer/README.md',
    read: namesRead(readSigner, { DATABASE_URL, LEDGER_URL, MASTER_KEY_FILE: 'x', SIGNER_SOCKET: 'x', ...clock }),
  },
  indexer: {
    file: 'indexer/src/config.ts',
    readme: 'indexer/README.md',
    read: namesRead(readIndexer, { DATABASE_URL, LEDGER_URL }),
  },
  ledger: {
    file: 'chain/embedded/src/settings.ts',
    readme: 'chain/README.md',
    read: namesRead(readLedger, {
      DATABASE_URL,
      LEDGER_KEY_FILE: 'x',
      LEDGER_FEE_ACCOUNTS_FILE: '/dev/null',
      ...clock,
    }),
  },
}
type Program = keyof typeof programs

/** The settings that a program takes as a file: its secrets, and the password that the driver of Postgres reads. */
const filesRead = (read: readonly string[]): string[] =>
  SECRETS.filter((name) => name === 'PGPASSWORD' || read.includes(name)).map((name) => `${name}_FILE`)

describe.each(Object.entries(programs))('%s', (_name, { file, readme, read }) => {
  it('has a table of its settings for its operator, with all that it reads and nothing else', () => {
    const rows = textOf(readme).match(/(?<=^\| setting \|.*\n.*\n)(?:^\|.*\n)+/m)?.[0] ?? ''
    const [, ...told] = rows.split(/^\|/m).map((row) => row.split('|')[0]?.match(/(?<=`)[A-Z_]+(?=`)/g) ?? [])
    expect(unique(told.flat())).toEqual(unique([...read, ...filesRead(read)]))
  })

  it('reads every documented setting, and documents every setting that it reads', () => {
    const comments = textOf(file).match(/\/\*\*[\s\S]*?\*\//g) ?? []
    // Names such as BLS are no settings: a name of a setting has an underscore, with one exception.
    const named = comments.flatMap(
      (comment) => comment.match(/\b(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|ENVIRONMENT)\b/g) ?? [],
    )
    expect(unique(named)).toEqual(read)
  })
})

const site: Site = {
  projectRoot: root,
  stateDir: '/x',
  environment: 'sandbox' as const,
  apiPort: 1,
  ledgerPort: 2,
  ledgerToken: 'x',
  signerSocket: '/x/s',
  feeAccount: 'x',
  clockOffsetFile: '/x/clock',
  rooms: {
    migrationUrl: DATABASE_URL,
    separate: true,
    urls: { chain: 'a', signer: 'b', ledger: 'c', api: 'd', system: 'e' },
    roleNames: { chain: 'a', signer: 'b', ledger: 'c', api: 'd', system: 'e' },
  },
}

const onNetwork: Site = { ...site, ledgerUrls: ['ws://a', 'ws://b'] }

it('npm start on a network tells those who speak to it its nodes, and nothing of a ledger of its own', () => {
  for (const { env } of [signerProcess(onNetwork), indexerProcess(onNetwork)]) {
    expect(env).toMatchObject({ LEDGER_URLS: 'ws://a,ws://b', LEDGER_FINALITY: 'grandpa' })
    expect(Object.keys(env ?? {})).not.toContain('LEDGER_URL')
  }
})

it.each<[Program, Record<string, string> | undefined]>([
  ['ledger', ledgerProcess(site).env],
  ['signer', signerProcess(site).env],
  ['indexer', indexerProcess(site).env],
  ['signer', signerProcess(onNetwork).env],
  ['indexer', indexerProcess(onNetwork).env],
  ['api', apiProcess(site).env],
  ['api', workerProcess(site).env],
  ['api', migrationEnvironment(site)],
])('npm start gives the %s nothing that it does not read', (program, environment) => {
  // These are Node's own, and the clock of processes without one: the indexer goes by the ledger's.
  const common = ['NODE_ENV', ...Object.keys(clock)]
  const unread = Object.keys(environment ?? {}).filter((name) => ![...programs[program].read, ...common].includes(name))
  expect(unread).toEqual([])
})

it('npm start tells the worker how long lines of the journal of erasures stay', () => {
  vi.stubEnv('ERASURE_JOURNAL_DAYS', '100')
  const { env } = workerProcess(site)
  vi.unstubAllEnvs()
  const config = readApi({ ...env, DATABASE_URL, SYSTEM_DATABASE_URL: DATABASE_URL, CLOCK_OFFSET_FILE: undefined })
  expect(config).toMatchObject({ erasureJournalDays: 100, erasureJournalFile: '/x/erasures.jsonl' })
})

describe('docker-compose.yml', () => {
  const text = textOf('docker-compose.yml')
  const compose: { services: Record<string, { environment?: Record<string, string> }> } = parse(text, { merge: true })
  /** An operator runs the doctor and the backup in that container too. */
  const preparing = ['start/prepare-production', 'start/production-settings', 'doctor/production', 'backup/production']
    .flatMap((name) => textOf(`scripts/${name}.ts`).match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [])
    .flatMap((name) => [name, ...filesRead([name])])
  const passwords = ['CHAIN', 'SIGNER', 'LEDGER', 'API', 'SYSTEM'].map((room) => `${room}_DATABASE_PASSWORD`)
  const reads: Record<string, string[]> = {
    ledger: programs.ledger.read,
    signer: programs.signer.read,
    indexer: programs.indexer.read,
    api: programs.api.read,
    worker: programs.api.read,
    'network-keys': ['FEE_ACCOUNT_FILE'],
    prepare: [...programs.api.read, ...programs.signer.read, ...preparing, ...passwords],
  }

  it.each(Object.entries(reads))('gives the %s nothing that it does not read', (service, read) => {
    const names = Object.keys(compose.services[service]?.environment ?? {})
    expect(names.length).toBeGreaterThan(0)
    const taken = [...read, ...filesRead(read)]
    expect(names.filter((name) => !taken.includes(name))).toEqual([])
  })

  it('tells the worker how long lines of the journal of erasures stay', () => {
    expect(compose.services.worker?.environment).toMatchObject({
      ERASURE_JOURNAL_DAYS: unlessSet('ERASURE_JOURNAL_DAYS', ''),
    })
  })

  it('says at its head what has to be and what may be set', () => {
    const head = text.slice(0, text.indexOf('name: accredit'))
    const taken = unique(text.match(/(?<=\$\{)[A-Z_]+/g) ?? [])
    expect(taken.filter((name) => !head.includes(name))).toEqual([])
    const told = unique(head.slice(head.indexOf('What has')).match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [])
    expect(told.filter((name) => !taken.includes(name))).toEqual([])
  })
})
