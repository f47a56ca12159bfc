import { sql } from 'kysely'
import { answersTo, batchLoaderBy } from '../../platform/process/batch-loader.js'
import type { At } from './at.js'
import { byKey, type IndexReader } from './index-db.js'
import { validAt } from './temporal.js'

type Index = { db: IndexReader }
type AtBlock = Pick<At, 'block'>

/** A revocation registry at a point in time. */
export interface RevocationRegistryState {
  registryId: string
  /** The DIDs of which any may change it. */
  policy: string[]
  creator: string
  addOnly: boolean
  kind: 'StatusList' | 'Accumulator'
  /** Bits of a status list. */
  length: number | null
  /** An accumulator's key and value, 0x. */
  publicKey: string | null
  accumulated: string | null
  /** The number of its version, which grows with every change. */
  version: number
  createdBlock: number
  /** The last block that changed it, its value or its bits. */
  changedBlock: number
  /** The block that changed it next; null: it is still the same. */
  endedBlock: number | null
  /** A removed registry gives no more answers: its readers must fail closed. */
  isRemoved: boolean
}

/** Undefined: there was no such registry yet. */
export async function revocationRegistryAt(
  { db }: Index,
  registryId: string,
  { block }: AtBlock,
): Promise<RevocationRegistryState | undefined> {
  const row = await db
    .selectFrom('revocation_registry')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('revocation_registry as first')
        .select((first) => first.fn.min('first.from_block').as('created'))
        .where('first.registry_id', '=', registryId)
        .as('created_block'),
    )
    .where('registry_id', '=', registryId)
    .where('from_block', '<=', block)
    .orderBy('from_block', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    registryId,
    policy: row.policy,
    creator: row.creator,
    addOnly: row.add_only,
    kind: row.kind,
    length: row.length,
    publicKey: row.public_key,
    accumulated: row.accumulated,
    version: row.version,
    createdBlock: row.created_block ?? row.from_block,
    changedBlock: row.from_block,
    endedBlock: row.to_block,
    isRemoved: row.to_block !== null && row.to_block <= block,
  }
}

export interface StatusState {
  isSet: boolean
  /** The registry was removed: readers fail closed. */
  removed: boolean
  length: number | null
  creator: string
  policy: string[]
  /** Returns the block that set the bit; undefined when it is clear. */
  sinceBlock?: number
}

/** Reads one status bit; undefined: no such registry then. An index past the end is clear: compare with `length`. */
export async function statusAt(
  { db }: Index,
  registryId: string,
  bit: number,
  { block }: AtBlock,
): Promise<StatusState | undefined> {
  const row = await statusRow(db, { registryId, bit, block })
  if (row === undefined) return undefined
  const { n: _n, since_block: since, ...state } = row
  return { ...state, isSet: since !== null, ...(since !== null && { sinceBlock: since }) }
}

interface StatusRow extends Pick<StatusState, 'removed' | 'length' | 'creator' | 'policy'> {
  n: string
  since_block: number | null
}

/** Verifications that come at once ask together. */
const TOGETHER = { running: 2, most: 100 }

const statusRow = batchLoaderBy(
  async (db: IndexReader, asked: { registryId: string; bit: number; block: number }[]) => {
    const { rows } = await sql<StatusRow>`
    select q.n, coalesce(r.to_block <= q.block, false) as removed, r.length, r.creator, r.policy, b.from_block as since_block
    from unnest(${asked.map(({ registryId }) => registryId)}::text[], ${asked.map(({ bit }) => bit)}::int8[],
        ${asked.map(({ block }) => block)}::int[]) with ordinality as q (registry_id, bit, block, n)
      cross join lateral (select v.to_block, v.length, v.creator, v.policy from ledger.revocation_registry v
        where v.registry_id = q.registry_id and v.from_block <= q.block order by v.from_block desc limit 1) r
      left join ledger.status_bit b on b.registry_id = q.registry_id and b.index = q.bit
        and ${validAt('b', sql<number>`q.block`)}`.execute(byKey(db))
    return answersTo(asked, rows)
  },
  TOGETHER,
)

/** A registry that has bits. */
export type StatusListRegistry = RevocationRegistryState & { length: number }

export const isStatusList = (registry: RevocationRegistryState): registry is StatusListRegistry =>
  registry.length !== null

/**
 * Returns all bits of a status list: bit i is the i-th from the left (StatusList2021: index 0 is the highest bit of
 * byte 0).
 */
export async function statusBitsAt(
  { db }: Index,
  { registryId, length }: Pick<StatusListRegistry, 'registryId' | 'length'>,
  { block }: AtBlock,
): Promise<Buffer> {
  const bits = Buffer.alloc(length / 8)
  for (const bit of await setBits(db, registryId, block)) bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (0x80 >> (bit & 7))
  return bits
}

async function setBits(db: IndexReader, registryId: string, block: number): Promise<number[]> {
  const { rows } = await sql<{ bits: number[] | null }>`
    select array_agg(b.index) as bits from ledger.status_bit b
    where b.registry_id = ${registryId} and ${validAt('b', block)}`.execute(db)
  return rows[0]?.bits ?? []
}
