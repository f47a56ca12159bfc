import { sql } from 'kysely'
import type { At } from './at.js'
import type { IndexReader } from './index-db.js'
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
  /** The block that set the bit; undefined when it is clear. */
  sinceBlock?: number
}

/** Reads one status bit; undefined: no such registry then. An index past the end is clear: compare with `length`. */
export async function statusAt(
  index: Index,
  registryId: string,
  bit: number,
  at: AtBlock,
): Promise<StatusState | undefined> {
  const registry = await revocationRegistryAt(index, registryId, at)
  if (registry === undefined) return undefined
  const row = await index.db
    .selectFrom('status_bit as b')
    .select('b.from_block')
    .where('b.registry_id', '=', registryId)
    .where('b.index', '=', bit)
    .where(validAt('b', at.block))
    .executeTakeFirst()
  const { isRemoved: removed, length, creator, policy } = registry
  return { isSet: row !== undefined, removed, length, creator, policy, ...(row && { sinceBlock: row.from_block }) }
}

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
