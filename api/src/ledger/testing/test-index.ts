import { readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { readConfig } from '../../config.js'
import { type Clock, systemClock } from '../../platform/process/clock.js'
import {
  type DatabaseUrls,
  type Furnishing,
  type ScratchDatabase,
  serviceDatabase,
  silentLog,
} from '../../platform/testing/scratch-database.js'
import { type IndexDb, openIndex } from '../read/index-db.js'
import type { LedgerTables } from '../read/index-tables.js'

const MIGRATIONS = new URL('../../../../indexer/db/migrations/', import.meta.url)
const FUNCTIONS = new URL('../../../../indexer/db/functions/', import.meta.url)

type TemporalTable = Exclude<keyof LedgerTables, 'block' | 'finality' | 'event' | 'nonce' | 'accumulator_update'>
/** Columns that only accumulators and revoked keys have. */
type Optional<Row> = Extract<
  keyof Row,
  'accumulated' | 'revoked_block' | (Row extends { accumulated: unknown } ? 'public_key' : never)
>
type TemporalRow<Table extends TemporalTable> = Omit<
  LedgerTables[Table],
  'id' | 'key' | Optional<LedgerTables[Table]>
> &
  Partial<Pick<LedgerTables[Table], Optional<LedgerTables[Table]>>>

const TEMPORAL_TABLES: TemporalTable[] = [
  'did',
  'did_key',
  'did_controller',
  'did_service',
  'trust_registry',
  'registry_schema',
  'issuer',
  'verifier',
  'suspension',
  'delegation',
  'revocation_registry',
  'status_bit',
]

/** The greatest lag is longer than any test: nobody hears a node while one runs. */
export const MAX_LAG_MS = 3_600_000

interface Migration {
  up(db: { query(statement: string): Promise<unknown> }): Promise<void>
}

/** Schema `ledger` in a scratch database, its rows written by the test as the indexer would write them. */
export interface TestIndex {
  index: IndexDb
  /** Blocks 0 to `last`, one every `stepMs` from `start` on; all final, the node just heard. */
  blocks(last: number, options?: { start?: Date; stepMs?: number }): Promise<void>
  block(height: number, time: Date): Promise<void>
  /** Puts the block of another fork in the place of one; the test writes what it says otherwise. */
  replaceBlock(height: number, hash: string): Promise<void>
  /**
   * Writes the follower's row: how long ago the node was heard, and since when a block waits. The newest block up to the
   * final height is settled, if it still has its hash: the one given, or that of a block that was not replaced.
   */
  finality(options: {
    height: number
    hash?: string
    seenMsAgo?: number
    behindMsAgo?: number
    rule?: 'instant' | 'grandpa'
  }): Promise<void>
  /** Writes a temporal row; `key` names its subject, by default the identifying columns joined. */
  row<Table extends TemporalTable>(table: Table, row: TemporalRow<Table>): Promise<void>
  /** Forgets every temporal row; blocks stay. */
  clear(): Promise<void>
  event(event: Partial<LedgerTables['event']> & { block: number; index: number; name: string }): Promise<void>
  /** Writes a large registry over the blocks that there are, with so many events. Its convener is the first DID. */
  large(dids: readonly string[], events: number): Promise<void>
  close(): Promise<void>
}

/** A scratch database with schema `ledger`, which its roles may read. */
export const indexedDatabase = (): Promise<ScratchDatabase> => serviceDatabase({ furnishing: LEDGER })

const LEDGER: Furnishing = { name: 'ledger', furnish: makeLedger }

/** Opens schema `ledger` as the api does, and for writing. It is made in a database that has none. */
export async function testIndex(scratch: DatabaseUrls, clock: Clock = systemClock): Promise<TestIndex> {
  const client = await ledgerClient(scratch)
  const { rowCount } = await client.query("select from pg_namespace where nspname = 'ledger'")
  if (rowCount === 0) await makeLedger(scratch)
  const settings = { DATABASE_URL: scratch.tenantUrl, ACCREDIT_TEST: '1', INDEX_MAX_LAG_MS: String(MAX_LAG_MS) }
  const config = readConfig(settings)
  return new IndexWriter(client, openIndex(config, clock, silentLog))
}

async function ledgerClient({ adminUrl }: DatabaseUrls): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: adminUrl, options: '-c search_path=ledger' })
  await client.connect()
  return client
}

async function makeLedger(urls: DatabaseUrls): Promise<void> {
  const client = await ledgerClient(urls)
  await client.query('create schema ledger')
  for (const migration of migrations()) await migration.up(client)
  for (const name of await readdir(FUNCTIONS)) await client.query(await readFile(new URL(name, FUNCTIONS), 'utf8'))
  for (const url of [urls.tenantUrl, urls.systemUrl]) {
    const role = client.escapeIdentifier(new URL(url).username)
    await client.query(
      `grant usage on schema ledger to ${role}; grant select on all tables in schema ledger to ${role}`,
    )
  }
  await client.end()
}

function migrations(): Migration[] {
  const require = createRequire(import.meta.url)
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.js'))
    .sort()
    .map((name) => new (require(fileURLToPath(new URL(name, MIGRATIONS))))())
}

class IndexWriter implements TestIndex {
  private rows = 0

  constructor(
    private readonly client: pg.Client,
    readonly index: IndexDb,
  ) {}

  async blocks(last: number, { start = new Date('2026-01-01T00:00:00Z'), stepMs = 1000 } = {}): Promise<void> {
    await this.client.query(
      `insert into block (id, height, hash, time, spec_version)
       select n::text, n, '0x' || lpad(to_hex(n), 64, '0'), $2::timestamptz + n * $3 * interval '1 millisecond', 1
       from generate_series(0, $1::int) n`,
      [last, start, stepMs],
    )
    await this.finality({ height: last })
  }

  async block(height: number, time: Date): Promise<void> {
    await this.insert('block', { id: String(height), height, hash: hashOf(height), time, spec_version: 1 })
    await this.finality({ height })
  }

  async replaceBlock(height: number, hash: string): Promise<void> {
    await this.client.query('update block set hash = $2 where height = $1', [height, hash])
  }

  async finality({
    height,
    hash,
    seenMsAgo = 0,
    behindMsAgo,
    rule,
  }: Parameters<TestIndex['finality']>[0]): Promise<void> {
    await this.client.query(
      `insert into finality (id, height, hash, rule, seen_at, behind_since, settled_height, settled_hash)
       select 'final', $1, $4, $5, now() - $2 * interval '1 ms', now() - $3::float8 * interval '1 ms', b.height,
         coalesce($6, '0x' || lpad(to_hex(b.height), 64, '0'))
       from (select max(height) as height from block where height <= $1) b
       on conflict (id) do update set height = excluded.height, hash = excluded.hash, rule = excluded.rule,
         seen_at = excluded.seen_at, behind_since = excluded.behind_since, settled_height = excluded.settled_height,
         settled_hash = excluded.settled_hash`,
      [height, seenMsAgo, behindMsAgo ?? null, hash ?? hashOf(height), rule ?? 'instant', hash ?? null],
    )
  }

  async row<Table extends TemporalTable>(table: Table, row: TemporalRow<Table>): Promise<void> {
    this.rows += 1
    await this.insert(table, { id: String(this.rows), key: String(this.rows), ...row })
  }

  async event(event: Parameters<TestIndex['event']>[0]): Promise<void> {
    const { rows } = await this.client.query('select time from block where height = $1', [event.block])
    const id = `${event.block}-${event.index}`
    await this.insert('event', {
      id,
      time: rows[0]?.time,
      extrinsic_hash: hashOf(event.block),
      actor: 'root',
      ...event,
    })
  }

  async clear(): Promise<void> {
    await this.client.query(`truncate listing, listing_count, ${TEMPORAL_TABLES.join(', ')}`)
  }

  async large(dids: readonly string[], events: number): Promise<void> {
    await this.client.query(`select set_config('fill.events', $1, false)`, [String(events)])
    await this.client.query('create temporary table filling (n int, did text)')
    await this.client.query(
      'insert into filling select i - 1, did from unnest($1::text[]) with ordinality as u (did, i)',
      [dids],
    )
    await this.client.query(await readFile(new URL('large-index.sql', import.meta.url), 'utf8'))
    await this.client.query('drop table filling')
  }

  async close(): Promise<void> {
    await this.index.close()
    await this.client.end()
  }

  private async insert(table: string, row: object): Promise<void> {
    const entries = Object.entries(row)
    const columns = entries.map(([name]) => this.client.escapeIdentifier(name)).join(', ')
    const places = entries.map((_, i) => `$${i + 1}`).join(', ')
    const values = entries.map(([name, value]) => (isJson(name, value) ? JSON.stringify(value) : value))
    await this.client.query(`insert into ${table} (${columns}) values (${places})`, values)
  }
}

/** The hash that a block gets here. */
export const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`

/** `endpoints` is the only list in a jsonb column; `policy` is an array of text. */
function isJson(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return name === 'endpoints'
  return typeof value === 'object' && value !== null && !(value instanceof Date)
}
