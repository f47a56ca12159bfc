import type { ChainKey, DidState } from '@accredit/chain'
import { hexIn } from '@accredit/chain/bytes'
import { type Did, parseDid } from '@accredit/chain/did'
import { sql } from 'kysely'
import type { At } from './at.js'
import type { IndexReader } from './index-db.js'
import { validAt } from './temporal.js'

type Index = { db: IndexReader }
type AtBlock = Pick<At, 'block'>

/** One key of a DID over all time. */
export interface KeyHistory {
  keyId: number
  key: ChainKey
  relationships: number
  fromBlock: number
  from: Date
  /** The block from which on it is not in use; null: it is in use. */
  toBlock: number | null
  to: Date | null
  /**
   * retired, deactivated: its signatures before `to` stay good. revoked: none of its signatures is trusted, at no time.
   */
  endReason: 'retired' | 'revoked' | 'deactivated' | null
}

interface Changes {
  deactivated: boolean
  created: Date
  updated: Date
  version: number
  next_version: number | null
  next_update: Date | null
}

/**
 * Returns the state of one of the ledger's own DIDs at a block; undefined: it did not exist yet. For did:key see
 * `didKeyState`.
 */
export async function didStateAt({ db }: Index, did: Did, { block }: AtBlock): Promise<DidState | undefined> {
  const changes = await changesUpTo(db, did, block)
  if (changes === undefined) return undefined
  const [keys, controllers, services] = await Promise.all([
    keysAt(db, did, block),
    controllersAt({ db }, did, { block }),
    servicesAt(db, did, block),
  ])
  return {
    did,
    keys,
    controllers,
    services,
    created: changes.created.toISOString(),
    updated: changes.updated.toISOString(),
    versionId: String(changes.version),
    ...(changes.next_update && {
      nextVersionId: String(changes.next_version),
      nextUpdate: changes.next_update.toISOString(),
    }),
    ...(changes.deactivated && { deactivated: true }),
  }
}

/**
 * Returns every key with this number that the DID ever had (numbers are not reused: one or none), revoked later or not.
 */
export async function keyHistory({ db }: Index, did: Did, keyId: number): Promise<KeyHistory | undefined> {
  const row = await db
    .selectFrom('did_key as k')
    .innerJoin('block as f', 'f.height', 'k.from_block')
    .leftJoin('block as t', 't.height', 'k.to_block')
    .select(['k.kind', 'k.public_key', 'k.relationships', 'k.from_block', 'k.to_block', 'k.end_reason'])
    .select(['f.time as from', 't.time as to'])
    .where('k.did', '=', did)
    .where('k.key_id', '=', keyId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    keyId,
    key: chainKey(row.kind, row.public_key),
    relationships: row.relationships,
    fromBlock: row.from_block,
    from: row.from,
    toBlock: row.to_block,
    to: row.to,
    endReason: row.end_reason,
  }
}

/**
 * Returns the newest block up to `block` that changed the DID or a part of it, the next one after, and the block of its
 * creation.
 */
async function changesUpTo(db: IndexReader, did: Did, block: number): Promise<Changes | undefined> {
  const { rows } = await sql<Changes>`
    with touched as (
      select from_block, to_block from ledger.did where did = ${did}
      union all select from_block, to_block from ledger.did_key where did = ${did}
      union all select from_block, to_block from ledger.did_controller where did = ${did}
      union all select from_block, to_block from ledger.did_service where did = ${did}
    ), newest as (
      select max(greatest(from_block, case when to_block <= ${block} then to_block end)) as version
      from touched where from_block <= ${block}
    ), later as (
      select min(case when from_block > ${block} then from_block when to_block > ${block} then to_block end) as version
      from touched
    )
    select coalesce(d.to_block <= ${block}, false) as deactivated, c.time as created, u.time as updated, newest.version,
      n.height as next_version, n.time as next_update
    from newest cross join later
      join ledger.did d on d.did = ${did} and d.from_block <= ${block}
      join ledger.block c on c.height = d.from_block
      join ledger.block u on u.height = newest.version
      left join ledger.block n on n.height = later.version`.execute(db)
  return rows[0]
}

async function keysAt(db: IndexReader, did: Did, block: number): Promise<DidState['keys']> {
  const rows = await db
    .selectFrom('did_key as k')
    .select(['k.key_id', 'k.kind', 'k.public_key', 'k.relationships'])
    .where('k.did', '=', did)
    .where(validAt('k', block))
    .orderBy('k.key_id')
    .execute()
  return rows.map((row) => ({
    id: row.key_id,
    key: chainKey(row.kind, row.public_key),
    relationships: row.relationships,
  }))
}

/** Returns the controllers of one of the ledger's own DIDs at a block; none for a DID that it does not have. */
export async function controllersAt({ db }: Index, did: Did, { block }: AtBlock): Promise<Did[]> {
  const rows = await db
    .selectFrom('did_controller as c')
    .select('c.controller')
    .where('c.did', '=', did)
    .where(validAt('c', block))
    .orderBy(sql`c.controller collate "C"`)
    .execute()
  return rows.map((row) => storedDid(row.controller))
}

async function servicesAt(db: IndexReader, did: Did, block: number): Promise<DidState['services']> {
  const rows = await db
    .selectFrom('did_service as s')
    .select(['s.service_id', 's.type', 's.endpoints'])
    .where('s.did', '=', did)
    .where(validAt('s', block))
    .orderBy(sql`s.service_id collate "C"`)
    .execute()
  return rows.map((row) => ({ id: row.service_id, type: row.type, endpoints: row.endpoints }))
}

/** Tables hold DIDs in the chain's form. */
export function storedDid(text: string): Did {
  const did = parseDid(text)
  if (did === undefined) throw new Error(`a stored DID is none: ${text}`)
  return did
}

function chainKey(kind: ChainKey['kind'], publicKey: string): ChainKey {
  return { kind, publicKey: hexIn(publicKey) }
}
