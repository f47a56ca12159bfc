import type { ChainKey, DidState } from '@accredit/chain'
import { hexIn } from '@accredit/chain/bytes'
import { type Did, parseAnyDid } from '@accredit/chain/did'
import { sql } from 'kysely'
import { answersTo, batchLoaderBy, inOrderOfQuestions } from '../../platform/process/batch-loader.js'
import { answersByBlock } from './answers-by-block.js'
import type { At } from './at.js'
import { presentBlock } from './blocks.js'
import { byKey, type IndexReader } from './index-db.js'
import { validAt } from './temporal.js'

type Index = { db: IndexReader }
/** A block; where it is told to be the newest one, answers about it are remembered. */
type Point = Pick<At, 'block'> & Partial<Pick<At, 'hash' | 'isHead'>>
/** One key of a DID over all time. */
export interface KeyHistory {
  keyId: number
  key: ChainKey
  relationships: number
  fromBlock: number
  from: Date
  /** The block from which on it is not in use, and its time; null: it is in use. */
  end: { block: number; time: Date } | null
  /**
   * retired, deactivated: its signatures before its end stay good. revoked: none of its signatures is trusted, at no time.
   * It is the reason as of the present, whatever block of the past is asked about.
   */
  endReason: 'retired' | 'revoked' | 'deactivated' | null
}

/** A DID at a block, as one statement tells it of many. */
interface DidRow {
  n: string
  /** That of the block that the present stands on. */
  hash: string | null
  deactivated: boolean
  created: Date
  updated: Date
  version: number | null
  next_version: number | null
  next_update: Date | null
  keys: (KeyColumns & { id: number })[]
  controllers: string[]
  services: DidState['services']
}

interface KeyColumns {
  kind: ChainKey['kind']
  public_key: string
  relationships: number
}

/** Questions that many requests ask are answered together: one statement at a time. */
const TOGETHER = { running: 2, most: 100 }

interface AskedDid {
  did: Did
  block: number
}

/** The answers about keys and controllers that are kept, a few hundred bytes each: verifiers ask of the same issuers. */
const MOST_KEPT = { answers: 20_000 }

const states = answersByBlock<DidState>({ bytes: 10_000_000 })
const keys = answersByBlock<KeyHistory>(MOST_KEPT)
const controllers = answersByBlock<Did[]>(MOST_KEPT)

/**
 * Returns the state of one of the ledger's own DIDs at a block; undefined: it did not exist yet. For did:key see
 * `didKeyState`.
 */
export async function didStateAt({ db }: Index, did: Did, at: Point): Promise<DidState | undefined> {
  // The state of a block of the past names the next change, which may be made after the question.
  const point = at.isHead ? at : {}
  return states(db, point, did, async () => {
    const row = await didRow(db, { did, block: at.block })
    return { answer: row && stateFrom(row, did), hash: row?.hash ?? null }
  })
}

function stateFrom(row: DidRow, did: Did): DidState {
  return {
    did,
    keys: row.keys.map(({ id, kind, public_key, relationships }) => ({
      id,
      key: chainKey(kind, public_key),
      relationships,
    })),
    controllers: row.controllers.map(storedDid),
    services: row.services,
    created: row.created.toISOString(),
    updated: row.updated.toISOString(),
    versionId: String(row.version),
    ...(row.next_update && {
      nextVersionId: String(row.next_version),
      nextUpdate: row.next_update.toISOString(),
    }),
    ...(row.deactivated && { deactivated: true }),
  }
}

/**
 * Reads DIDs with the newest block up to that of the question which changed the DID or a part of it, the next one after,
 * and the block of its creation.
 */
const didRow = batchLoaderBy(async (db: IndexReader, asked: AskedDid[]): Promise<(DidRow | undefined)[]> => {
  const block = sql<number>`q.block`
  const { rows } = await sql<DidRow>`
    with present as materialized (${presentBlock})
    select q.n, p.hash, coalesce(d.to_block <= q.block, false) as deactivated, c.time as created, u.time as updated,
      v.version, x.height as next_version, x.time as next_update,
      coalesce((select json_agg(json_build_object('id', k.key_id, 'kind', k.kind, 'public_key', k.public_key,
          'relationships', k.relationships) order by k.key_id)
        from ledger.did_key k where k.did = q.did and ${validAt('k', block)}), '[]') as keys,
      array(select c.controller from ledger.did_controller c where c.did = q.did and ${validAt('c', block)}
        order by c.controller collate "C") as controllers,
      coalesce((select json_agg(json_build_object('id', s.service_id, 'type', s.type, 'endpoints', s.endpoints)
          order by s.service_id collate "C")
        from ledger.did_service s where s.did = q.did and ${validAt('s', block)}), '[]') as services
    from present p
      cross join unnest(${asked.map(({ did }) => did)}::text[], ${asked.map((one) => one.block)}::int[])
        with ordinality as q (did, block, n)
      join ledger.did d on d.did = q.did and d.from_block <= q.block
      cross join lateral (
        select max(greatest(t.from_block, case when t.to_block <= q.block then t.to_block end))
            filter (where t.from_block <= q.block) as version,
          min(case when t.from_block > q.block then t.from_block when t.to_block > q.block then t.to_block end) as next
        from (
          select from_block, to_block from ledger.did where did = q.did
          union all select from_block, to_block from ledger.did_key where did = q.did
          union all select from_block, to_block from ledger.did_controller where did = q.did
          union all select from_block, to_block from ledger.did_service where did = q.did
        ) t
      ) v
      join ledger.block c on c.height = d.from_block
      join ledger.block u on u.height = v.version
      left join ledger.block x on x.height = v.next and x.height <= p.height`.execute(byKey(db))
  return answersTo(asked, rows)
}, TOGETHER)

/**
 * Returns every key with this number that the DID ever had (numbers are not reused: one or none), revoked later or not.
 * @param at the newest block, where it is known: its answers are remembered
 */
export async function keyHistory(
  { db }: Index,
  did: Did,
  keyId: number,
  at?: Pick<At, 'hash' | 'isHead'>,
): Promise<KeyHistory | undefined> {
  // The life of a key goes on after a block of the past, up to the present.
  const point = at?.isHead ? at : {}
  return keys(db, point, `${did} ${keyId}`, async () => {
    const row = await keyRow(db, { did, keyId })
    return { answer: row && historyFrom(row, keyId), hash: row?.hash ?? null }
  })
}

function historyFrom(row: KeyOverTime, keyId: number): KeyHistory {
  return {
    keyId,
    key: chainKey(row.kind, row.public_key),
    relationships: row.relationships,
    fromBlock: row.from_block,
    from: row.from,
    end: row.to_block === null || row.to === null ? null : { block: row.to_block, time: row.to },
    endReason: row.end_reason,
  }
}

interface KeyOverTime extends KeyColumns, Pick<KeyHistory, 'from'> {
  n: string
  from_block: number
  to_block: number | null
  to: Date | null
  end_reason: KeyHistory['endReason']
  /** That of the block that the present stands on. */
  hash: string | null
}

const keyRow = batchLoaderBy(async (db: IndexReader, asked: { did: Did; keyId: number }[]) => {
  const { rows } = await sql<KeyOverTime>`
    with present as materialized (${presentBlock})
    select q.n, k.kind, k.public_key, k.relationships, k.from_block, t.height as to_block,
      case when t.height is null then null when k.revoked_block > p.height then 'retired' else k.end_reason end as end_reason,
      f.time as from, t.time as to, p.hash
    from present p cross join unnest(${asked.map(({ did }) => did)}::text[], ${asked.map(({ keyId }) => keyId)}::int[])
        with ordinality as q (did, key_id, n)
      join ledger.did_key k on k.did = q.did and k.key_id = q.key_id and k.from_block <= p.height
      join ledger.block f on f.height = k.from_block
      left join ledger.block t on t.height = k.to_block and t.height <= p.height`.execute(byKey(db))
  return answersTo(asked, rows)
}, TOGETHER)

/** Returns the controllers of one of the ledger's own DIDs at a block; none for a DID that it does not have. */
export async function controllersAt({ db }: Index, did: Did, at: Pick<At, 'block' | 'hash'>): Promise<Did[]> {
  return controllers(db, at, did, async () => {
    const row = await controllersRow(db, { did, block: at.block })
    return { answer: row.controllers.map(storedDid), hash: row.hash }
  })
}

type ControllersRow = Pick<DidRow, 'n' | 'controllers'> & { hash: string | null }

const controllersRow = batchLoaderBy(async (db: IndexReader, asked: AskedDid[]) => {
  const { rows } = await sql<ControllersRow>`
    select q.n, (select b.hash from ledger.block b where b.height = q.block) as hash,
      array(select c.controller from ledger.did_controller c where c.did = q.did and ${validAt('c', sql<number>`q.block`)}
        order by c.controller collate "C") as controllers
    from unnest(${asked.map(({ did }) => did)}::text[], ${asked.map(({ block }) => block)}::int[])
        with ordinality as q (did, block, n)`.execute(byKey(db))
  return inOrderOfQuestions(rows)
}, TOGETHER)

/** Tables hold DIDs in the chain's form. */
export function storedDid(text: string): Did {
  const did = parseAnyDid(text)
  if (did === undefined) throw new Error(`a stored DID is none: ${text}`)
  return did
}

function chainKey(kind: ChainKey['kind'], publicKey: string): ChainKey {
  return { kind, publicKey: hexIn(publicKey) }
}
