import pg from 'pg'
import { perQuery } from './per-query.js'
import { bytesOf, type Hex, hexOf, type StateChanges, type Store, type StoredBlock } from './store.js'

/** The numbers may be any two of 32 bits, as long as nobody else in this database locks the same pair. */
const WRITER_LOCK = [0x61636372, 0x6c656467] as const
const LOCK_PATIENCE_MS = 5_000

const TABLES = `
create table if not exists chain.blocks (
  number     integer primary key,
  hash       bytea not null unique,
  header     bytea not null,
  extrinsics bytea[] not null
);
create table if not exists chain.state (
  key   bytea not null,
  block integer not null,
  value bytea
);
create unique index if not exists state_newest_first on chain.state (key, block desc);
create table if not exists chain.key_file (
  only_one    boolean primary key default true check (only_one),
  fingerprint bytea not null
);
`

export interface SeenElsewhere {
  readonly who: string
  readonly number: number
  readonly hash: Hex | undefined
}

const FOLLOWERS = [
  {
    who: 'index',
    table: 'ledger.finality',
    query: `select height, decode(substr(hash, 3), 'hex') as hash from ledger.finality order by height desc limit 1`,
  },
  {
    who: 'signer',
    table: 'signer.ledger',
    query: 'select height, hash from signer.ledger order by height desc limit 1',
  },
] as const

/** The most blocks of one query: its answer is in memory at once, and blocks may be of megabytes. */
const MOST_BLOCKS = 32
const MOST_VALUES = 1_000

interface BlockRow {
  number: number
  hash: Buffer
  header: Buffer
  /** Hexadecimal texts, separated by commas; null: none. */
  extrinsics: string | null
}

/** Extrinsics come as one text: an array takes its reader a second for two megabytes. */
const BLOCK = `
  select number, hash, header, (
    select string_agg(encode(extrinsic, 'hex'), ',' order by position)
    from unnest(extrinsics) with ordinality as body (extrinsic, position)
  ) as extrinsics
  from chain.blocks`
const BLOCKS_AT = { name: 'blocks-at', text: `${BLOCK} where number = any($1)` }
const BLOCKS_OF = { name: 'blocks-of', text: `${BLOCK} where hash = any($1)` }

const VALUES_AT = {
  name: 'values-at',
  text: `
    select (
      select value from chain.state where key = wanted.key and block <= wanted.number order by block desc limit 1
    ) as value
    from unnest($1::bytea[], $2::integer[]) with ordinality as wanted (key, number, position) order by position`,
}

/** Selects a state entry as of a block. */
interface Place {
  readonly key: Hex
  readonly number: number
}

/**
 * Selects keys one by one through the index, so that the cost does not depend on how often a key was written. The end
 * of the range is a condition of its own: inside another the index would be read to its end.
 */
function keysAt(within: string): string {
  return `
    with recursive keys (key) as (
      (select key from chain.state where key >= $1 and key > $2 ${within} order by key limit 1)
      union all
      select (select state.key from chain.state where state.key > keys.key ${within} order by state.key limit 1)
      from keys where keys.key is not null
    )
    select key from (
      select key from keys where key is not null and (
        select value from chain.state where state.key = keys.key and block <= $3 order by block desc limit 1
      ) is not null limit $4) page
    order by key`
}

const KEYS_TO_THE_END = { name: 'keys-to-the-end', text: keysAt('') }
const KEYS_BEFORE = { name: 'keys-before', text: keysAt('and state.key < $5') }

/**
 * The chain in two tables of schema `chain`, with a mark that identifies its key file. Reads use a small pool; the
 * writer has a connection of its own, which holds an advisory lock as long as the ledger lives: two ledgers on one
 * database would fork the chain.
 */
export class PostgresStore implements Store {
  readonly #pool: pg.Pool
  readonly #writer: pg.Client
  readonly #byNumber = perQuery((numbers: readonly number[]) => this.#blocksAt(numbers), MOST_BLOCKS)
  readonly #byHash = perQuery((hashes: readonly Hex[]) => this.#blocksOf(hashes), MOST_BLOCKS)
  readonly #values = perQuery((places: readonly Place[]) => this.#valuesAt(places), MOST_VALUES)

  private constructor(pool: pg.Pool, writer: pg.Client) {
    this.#pool = pool
    this.#writer = writer
  }

  /** `onLost` runs when the writer's connection ends although nobody closed it. */
  static async open(databaseUrl: string, onLost: (cause: Error) => void): Promise<PostgresStore> {
    const writer = new pg.Client({ connectionString: databaseUrl, application_name: 'accredit-ledger' })
    writer.on('error', onLost)
    await writer.connect().catch((cause: unknown) => {
      throw new Error(`the database cannot be reached: ${reasonOf(cause)}`, { cause })
    })
    try {
      await writer.query('set synchronous_commit = on')
      await lock(writer)
      await makeTables(writer)
    } catch (cause) {
      await writer.end()
      throw cause
    }
    const pool = new pg.Pool({ connectionString: databaseUrl, application_name: 'accredit-ledger-reads', max: 4 })
    // A connection that breaks is replaced at its next use; its query fails with its own error.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    return new PostgresStore(pool, writer)
  }

  async head(): Promise<StoredBlock | undefined> {
    const { rows } = await this.#pool.query<BlockRow>(`${BLOCK} order by number desc limit 1`)
    return rows.map(blockOfRow)[0]
  }

  blockAt(number: number): Promise<StoredBlock | undefined> {
    return this.#byNumber(number)
  }

  blockOf(hash: Hex): Promise<StoredBlock | undefined> {
    return this.#byHash(hash)
  }

  valuesAt(keys: readonly Hex[], number: number): Promise<(Hex | undefined)[]> {
    return Promise.all(keys.map((key) => this.#values({ key, number })))
  }

  async writesOf(key: Hex): Promise<number[]> {
    const { rows } = await this.#pool.query<{ block: number }>(
      'select block from chain.state where key = $1 order by block',
      [bytesOf(key)],
    )
    return rows.map((row) => row.block)
  }

  async keysAt(prefix: Hex, count: number, after: Hex | undefined, number: number): Promise<Hex[]> {
    const end = endOfPrefix(bytesOf(prefix))
    const values = [bytesOf(prefix), bytesOf(after ?? '0x'), number, count]
    const query = end ? { ...KEYS_BEFORE, values: [...values, end] } : { ...KEYS_TO_THE_END, values }
    const { rows } = await this.#pool.query<{ key: Buffer }>(query)
    return rows.map((row) => hexOf(row.key))
  }

  async append(block: StoredBlock, changes: StateChanges): Promise<void> {
    const keys = [...changes.keys()].map(bytesOf)
    const values = [...changes.values()].map((value) => (value === null ? null : bytesOf(value)))
    await this.#writer.query({
      name: 'append',
      text: `with changed as (
               insert into chain.state (key, block, value)
               select key, $1, value from unnest($5::bytea[], $6::bytea[]) as change (key, value)
             )
             insert into chain.blocks (number, hash, header, extrinsics) values ($1, $2, $3, $4)`,
      values: [block.number, bytesOf(block.hash), bytesOf(block.header), block.extrinsics.map(bytesOf), keys, values],
    })
  }

  /** Remembers the first key file that the chain is opened with; tells whether this is that one. */
  async bindKeys(fingerprint: Uint8Array): Promise<boolean> {
    const values = [Buffer.from(fingerprint)]
    await this.#writer.query('insert into chain.key_file (fingerprint) values ($1) on conflict do nothing', values)
    const { rowCount } = await this.#writer.query('select from chain.key_file where fingerprint = $1', values)
    return rowCount === 1
  }

  /** Returns the blocks that other owners of this database have seen, as far as this role may read their tables. */
  async seenElsewhere(): Promise<SeenElsewhere[]> {
    const seen: SeenElsewhere[] = []
    for (const { who, table, query } of FOLLOWERS) {
      const { rows } = await this.#writer.query<{ readable: boolean }>(
        `select coalesce(has_schema_privilege(to_regnamespace($2), 'usage'), false)
            and coalesce(has_table_privilege(to_regclass($1), 'select'), false) as readable`,
        [table, table.split('.')[0]],
      )
      if (!rows[0]?.readable) continue
      const newest = await this.#writer.query<{ height: string | null; hash: Buffer | null }>(query)
      const { height, hash } = newest.rows[0] ?? {}
      if (height != null) seen.push({ who, number: Number(height), hash: hash ? hexOf(hash) : undefined })
    }
    return seen
  }

  async close(): Promise<void> {
    this.#writer.removeAllListeners('error')
    this.#writer.on('error', () => {})
    await Promise.all([this.#writer.end(), this.#pool.end()])
  }

  async #blocksAt(numbers: readonly number[]): Promise<(StoredBlock | undefined)[]> {
    const { rows } = await this.#pool.query<BlockRow>({ ...BLOCKS_AT, values: [numbers] })
    const found = new Map(rows.map((row) => [row.number, blockOfRow(row)]))
    return numbers.map((number) => found.get(number))
  }

  async #blocksOf(hashes: readonly Hex[]): Promise<(StoredBlock | undefined)[]> {
    const { rows } = await this.#pool.query<BlockRow>({ ...BLOCKS_OF, values: [hashes.map(bytesOf)] })
    const found = new Map(rows.map(blockOfRow).map((block) => [block.hash, block]))
    return hashes.map((hash) => found.get(hash))
  }

  async #valuesAt(places: readonly Place[]): Promise<(Hex | undefined)[]> {
    const values = [places.map(({ key }) => bytesOf(key)), places.map(({ number }) => number)]
    const { rows } = await this.#pool.query<{ value: Buffer | null }>({ ...VALUES_AT, values })
    return rows.map(({ value }) => (value ? hexOf(value) : undefined))
  }
}

/**
 * Returns the words for a failure. If a host has several addresses, each has its own reason and the whole has no words.
 */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ')
  return cause instanceof Error ? cause.message : String(cause)
}

/** A ledger that was killed a moment ago may still hold the lock until Postgres notices: wait a little. */
async function lock(writer: pg.Client): Promise<void> {
  await writer.query(`set lock_timeout = ${LOCK_PATIENCE_MS}`)
  try {
    await writer.query('select pg_advisory_lock($1, $2)', [...WRITER_LOCK])
    await writer.query('reset lock_timeout')
  } catch (cause) {
    throw new Error('another ledger is running on this database', { cause })
  }
}

/** Makes the schema and its tables where they are missing. */
export async function makeTables(writer: pg.Client): Promise<void> {
  const { rows } = await writer.query<{ exists: boolean }>(
    `select exists (select from pg_namespace where nspname = 'chain') as exists`,
  )
  if (!rows[0]?.exists) await writer.query('create schema chain')
  await writer.query(TABLES)
}

function blockOfRow(row: BlockRow): StoredBlock {
  const extrinsics = row.extrinsics?.split(',').map((hex) => `0x${hex}` as const) ?? []
  return { number: row.number, hash: hexOf(row.hash), header: hexOf(row.header), extrinsics }
}

/**
 * Returns the first key after all keys with this prefix; null when there is none (an empty prefix, or nothing but
 * 0xff).
 */
function endOfPrefix(prefix: Uint8Array): Buffer | null {
  const last = prefix.findLastIndex((byte) => byte !== 0xff)
  if (last < 0) return null
  const end = Buffer.from(prefix.subarray(0, last + 1))
  end[last] = (end[last] ?? 0) + 1
  return end
}
