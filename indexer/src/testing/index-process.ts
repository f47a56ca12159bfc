import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { untilIndexed } from '../../../test/support/until-indexed'

const MAIN = join(__dirname, '../../lib/main.js')

/** The indexer as its users run it: its own process. */
export class IndexProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly databaseUrl: string,
  ) {}

  /** Ready: the head of its start is indexed. */
  static async start(databaseUrl: string, ledgerUrl: string): Promise<IndexProcess> {
    const env = { ...process.env, DATABASE_URL: databaseUrl, LEDGER_URL: ledgerUrl, SQD_FATAL: '*' }
    const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const said: string[] = []
    child.stderr.on('data', (text) => said.push(String(text)))
    const lines = createInterface(child.stdout)
    const ready = new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => (line.includes('"ready"') ? resolve() : said.push(line)))
      child.once('exit', (code) => reject(new Error(`the indexer ended with ${code}: ${said.join('\n')}`)))
    })
    await ready
    return new IndexProcess(child, databaseUrl)
  }

  /** Waits until block `height` is indexed, with the hash that is given, if one is. */
  reaches(height: number, hash?: string): Promise<void> {
    return untilIndexed(this.databaseUrl, height, hash)
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return
    const ended = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    await ended
  }
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
]

/** Everything that is indexed, for comparing. */
export async function projections(databaseUrl: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const all: Record<string, unknown[]> = {}
    for (const table of TABLES) {
      all[table] = (await client.query(`SELECT * FROM ledger.${table} ORDER BY id COLLATE "C"`)).rows
    }
    return all
  } finally {
    await client.end()
  }
}
