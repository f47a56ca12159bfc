/**
 * Applies final blocks to the states, in order, each in one transaction with the cursor. A block decides: an extrinsic
 * of ours is known by its hash, and work that the tables have lost (a crash, an older backup) by its effect.
 */

import { type ChainEvent, hexOf } from '@accredit/chain'
import { blake2AsU8a } from '@polkadot/util-crypto'
import { sql } from 'kysely'
import type { Clock } from '../clock.js'
import type { Db, FencedWrite } from '../database.js'
import { SetupError } from '../errors.js'
import { bytesOf, type Outcome } from '../wire.js'
import type { Codec } from './codec.js'
import { isDoneBy, type JudgedAction, type Judgement, judgeItems, nothingYet } from './judgement.js'
import type { BlockRef, Ledger } from './ledger.js'
import { type Effect, effectsOf, itemOutcomes } from './outcomes.js'
import { dropping, queueingAgain, settling, tellingOutcomes } from './pipeline.store.js'
import type { Validity } from './validity.js'

export interface Block extends BlockRef {
  extrinsics: { hash: Buffer; bytes: Buffer }[]
  events: readonly ChainEvent[]
  /** The ledger's time, ms since 1970. */
  time: number
}

export interface BlockWork {
  db: Db
  write: FencedWrite
  clock: Clock
  validity: Validity
  /** The fee account's public key, as events name it. */
  submitter: string
}

export async function readBlock(ledger: Ledger, codec: Codec, ref: BlockRef): Promise<Block> {
  const [extrinsics, [events, now]] = await Promise.all([
    ledger.extrinsicsOf(ref.hash),
    ledger.read([codec.keys.events, codec.keys.now], ref.hash),
  ])
  return {
    ...ref,
    extrinsics: extrinsics.map((bytes) => ({ bytes, hash: Buffer.from(blake2AsU8a(bytes, 256)) })),
    events: events === undefined ? [] : codec.events(events),
    time: codec.moment(now),
  }
}

/** The hash of the first block of the ledger that this database belongs to; undefined: none yet. */
export async function knownGenesis(db: Db): Promise<string | undefined> {
  const stored = await db.selectFrom('ledger').select('genesis_hash').executeTakeFirst()
  return stored && hexOf(stored.genesis_hash)
}

/** The height of the newest block that is applied, from which the next start goes on; undefined: none is. */
export async function cursorHeight(db: Db): Promise<number | undefined> {
  return (await db.selectFrom('ledger').select('height').executeTakeFirst())?.height
}

/** Checks that this database belongs to this ledger, and returns its cursor; a new one begins at the final head. */
export async function openCursor(work: Pick<BlockWork, 'db' | 'write'>, ledger: Ledger): Promise<BlockRef> {
  const genesis = await ledger.genesisHash()
  const head = await ledger.finalHead()
  const stored = await work.db.selectFrom('ledger').selectAll().executeTakeFirst()
  if (stored === undefined) {
    await work.write(sql`stored as (insert into signer.ledger (genesis_hash, height, hash)
      select ${bytesOf(genesis)}::bytea, ${head.height}::bigint, ${bytesOf(head.hash)}::bytea from held)
      select from held`)
    return head
  }
  if (hexOf(stored.genesis_hash) !== genesis) {
    throw new SetupError(
      `The signer's database belongs to ledger ${hexOf(stored.genesis_hash)}, this one is ${genesis}.`,
    )
  }
  const cursor = { height: stored.height, hash: hexOf(stored.hash) }
  if (head.height < cursor.height || (await ledger.hashAt(cursor.height)) !== cursor.hash) {
    throw new SetupError(`The ledger does not have block ${cursor.height} as this signer saw it final.`)
  }
  return cursor
}

export interface Applied {
  /** True where any action of ours moved. */
  hasMoved: boolean
  /** True where some are to be signed again. */
  isQueuedAgain: boolean
}

/** Applies a block that can no longer change. */
export async function workIn(work: BlockWork, codec: Codec, block: Block): Promise<Applied> {
  const at = new Date(work.clock())
  const known = await ownExtrinsics(work.db, block)
  const judgement = nothingYet()
  for (const extrinsic of known) await judgeExtrinsic(work.db, codec, block, extrinsic, judgement)
  const elsewhere = effectsOf(block.events, work.submitter).filter(
    ({ extrinsic }) => !known.some(({ index }) => index === extrinsic),
  )
  for (const effect of elsewhere) await judgeEffect(work.db, codec, block, effect, judgement)
  for (const error of new Set(judgement.untimely)) work.validity.learn(error, block.time)
  const { settlements, again, alone } = judgement
  const ids = known.map(({ id }) => id)
  const expired = sql`dies_at <= ${block.height}::bigint and id <> all(${ids}::bigint[])`
  const { dropped } = await work.write(sql<{ dropped: boolean }>`
    ${settling(settlements, at)}, ${queueingAgain(again, alone, at)}, ${dropping(expired, at)},
    brought as (
      update signer.extrinsics set state = 'final', bytes = null from held where id = any(${ids}::bigint[])),
    followed as (
      update signer.ledger set height = ${block.height}::bigint, hash = ${bytesOf(block.hash)}::bytea from held)
    select exists (select from dead) as dropped, ${tellingOutcomes(settlements)} from held`)
  return {
    hasMoved: ids.length > 0 || elsewhere.length > 0 || dropped,
    isQueuedAgain: again.length > 0 || alone.length > 0 || dropped,
  }
}

/** Applies a block that may still be dropped: its outcomes are noted, nothing is decided. */
export async function noteIncluded(work: BlockWork, codec: Codec, block: Block): Promise<void> {
  const judgement = nothingYet()
  for (const extrinsic of await ownExtrinsics(work.db, block)) {
    await judgeExtrinsic(work.db, codec, block, extrinsic, judgement)
  }
  if (judgement.settlements.length === 0) return
  const noted = judgement.settlements.map((settlement) => ({ ...settlement, state: 'included' as const }))
  await work.write(sql`${settling(noted, new Date(work.clock()))} select from held`)
}

interface OwnExtrinsic {
  id: number
  index: number
  /** The actions that it carries, in their order. */
  actions: JudgedAction[]
}

type CarriedRow = { carrier: number; hash: Buffer } & (JudgedAction | { id: null })

/** Returns the extrinsics of the block that the tables know, in its order. */
async function ownExtrinsics(db: Db, block: Block): Promise<OwnExtrinsic[]> {
  const indexes = new Map(block.extrinsics.map(({ hash }, index) => [hexOf(hash), index]))
  const { rows } = await sql<CarriedRow>`
    select e.id as carrier, e.hash, a.id, a.did, a.sequence, a.content, a.position, a.transaction_version, a.nonce,
      a.call_hash, a.encoded_tx
    from signer.extrinsics e left join signer.actions a on a.extrinsic_id = e.id
    where e.hash = any(${block.extrinsics.map(({ hash }) => hash)}::bytea[]) and e.state = 'pending'
    order by a.position`.execute(db)
  const own = new Map<number, OwnExtrinsic>()
  for (const { carrier, hash, ...action } of rows) {
    const index = indexes.get(hexOf(hash))
    if (index === undefined) continue
    const known = own.get(carrier) ?? { id: carrier, index, actions: [] }
    if (action.id !== null) known.actions.push(action)
    own.set(carrier, known)
  }
  return [...own.values()].sort((left, right) => left.index - right.index)
}

async function judgeExtrinsic(db: Db, codec: Codec, block: Block, own: OwnExtrinsic, judgement: Judgement) {
  await judgeItems(
    {
      actions: own.actions,
      outcomes: itemOutcomes(block.events, own.index),
      place: placeOf(block, own.index),
      transactionVersion: codec.transactionVersion,
      openBefore: (action) => openBefore(db, action),
    },
    judgement,
  )
}

/** Returns the earlier actions of the same DID that have not come to their end. */
async function openBefore(db: Db, { did, sequence }: JudgedAction): Promise<string[]> {
  const before = await db
    .selectFrom('actions')
    .select('id')
    .where('did', '=', did)
    .where('sequence', '<', sequence)
    .where('state', 'not in', ['final', 'refused'])
    .execute()
  return before.map(({ id }) => id)
}

/** Recognises our action in an extrinsic that the tables do not know. */
async function judgeEffect(db: Db, codec: Codec, block: Block, effect: Effect, judgement: Judgement) {
  const open = await db
    .selectFrom('actions')
    .selectAll()
    .where('did', '=', effect.did)
    .where('state', 'not in', ['final', 'refused'])
    .orderBy('sequence')
    .execute()
  const settled = new Set(judgement.settlements.map(({ id }) => id))
  const callHashOf = (calls: readonly string[]) => hexOf(codec.callHash(calls.map(bytesOf)))
  const action = open.find((row) => !settled.has(row.id) && isDoneBy(row, effect, callHashOf))
  if (action === undefined) return
  const carrier = block.extrinsics[effect.extrinsic]
  const item = carrier === undefined ? undefined : codec.batchItems(carrier.bytes)[effect.item]
  const outcome: Outcome = { ...placeOf(block, effect.extrinsic) }
  if (item !== undefined) outcome.encodedTx = hexOf(item)
  if (effect.action !== undefined) {
    outcome.nonce = effect.action.nonce
    outcome.callHash = effect.action.callHash
  }
  judgement.settlements.push({ id: action.id, state: 'final', outcome })
}

function placeOf(block: Block, index: number): Outcome {
  const extrinsic = block.extrinsics[index]
  const place: Outcome = { blockHeight: block.height, blockHash: block.hash, extrinsicIndex: index }
  if (extrinsic !== undefined) place.extrinsicHash = hexOf(extrinsic.hash)
  return place
}
