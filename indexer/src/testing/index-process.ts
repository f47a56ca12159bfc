import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { untilIndexed } from '../../../test/support/until-indexed'

const MAIN = join(__dirname, '../../lib/main.js')

/** An answer that does not come is given up sooner than in production, also on a slow machine. */
const ANSWER_MS = '5000'

const READY_WITHIN_MS = 120_000

/** The indexer as its users run it: its own process. */
export class IndexProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly databaseUrl: string,
    /** The lines that it wrote until it was ready. */
    readonly said: readonly string[],
  ) {}

  /**
   * Resolves when the head of its start is indexed. A process that is not ready in time is ended, and so is one whose
   * starter is gone.
   */
  static async start(
    databaseUrl: string,
    ledgerUrl: string,
    waiting = AbortSignal.timeout(READY_WITHIN_MS),
  ): Promise<IndexProcess> {
    const settings = {
      DATABASE_URL: databaseUrl,
      LEDGER_URL: ledgerUrl,
      LEDGER_ANSWER_MS: ANSWER_MS,
      ACCREDIT_SUPERVISED: '1',
      SQD_FATAL: '*',
    }
    const child = spawn(process.execPath, [MAIN], { env: { ...process.env, ...settings } })
    const said: string[] = []
    const index = new IndexProcess(child, databaseUrl, said)
    try {
      await ready(child, said, waiting)
    } catch (cause) {
      await index.stop()
      throw cause
    }
    return index
  }

  /** Waits until block `height` is indexed, with the given hash, if there is one. */
  reaches(height: number, hash?: string): Promise<void> {
    return untilIndexed(this.databaseUrl, height, hash)
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const ended = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    await ended
  }
}

function ready(child: ChildProcessWithoutNullStreams, said: string[], waiting: AbortSignal): Promise<void> {
  child.stderr.on('data', (text) => said.push(String(text)))
  const lines = createInterface(child.stdout)
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`the indexer ${what}: ${said.join('\n')}`))
    lines.on('line', (line) => (line.includes('"ready"') ? resolve() : said.push(line)))
    child.once('exit', (code) => fail(`ended with ${code}`))
    waiting.addEventListener('abort', () => fail('did not get ready'), { once: true })
  })
}

const TABLES = [
  'block',
  'event',
  'did',
  'did_key',
  'did_controller',
  'did_service',
  'nonce',
  'trust_registry',
  'registry_schema',
  'issuer',
  'verifier',
  'suspension',
  'delegation',
  'revocation_registry',
  'accumulator_update',
  'status_bit',
  'listing',
  'listing_count',
]

/** Reads everything that is indexed, for comparing. */
export async function projections(databaseUrl: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const all: Record<string, unknown[]> = {}
    for (const table of TABLES) {
      all[table] = (await client.query(`SELECT * FROM ledger.${table} t ORDER BY t::text COLLATE "C"`)).rows
    }
    return all
  } finally {
    await client.end()
  }
}

/** Reads the head that every reader takes for final. */
export async function finality(databaseUrl: string): Promise<{ height: number; hash: string } | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query('SELECT height, hash FROM ledger.finality')).rows[0]
  } finally {
    await client.end()
  }
}
