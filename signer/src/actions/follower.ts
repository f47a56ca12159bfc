/**
 * Applies final blocks to the states, in order, each in one transaction with the cursor. A block decides: an extrinsic
 * of ours is known by its hash, and work that the tables have lost (a crash, an older backup) by its effect.
 */

import { type ChainEvent, hexOf } from '@accredit/chain'
import { blake2AsU8a } from '@polkadot/util-crypto'
import type { Clock } from '../clock.js'
import type { Db, FencedWrite, Tx } from '../database.js'
import { SetupError } from '../errors.js'
import { bytesOf, type Outcome } from '../wire.js'
import type { Codec } from './codec.js'
import { isDoneBy, type Judgement, judgeItems, nothingYet } from './judgement.js'
import type { BlockRef, Ledger } from './ledger.js'
import { type Effect, effectsOf, itemOutcomes } from './outcomes.js'
import { type ActionRow, dropAll, queueAgain, settle } from './pipeline.store.js'
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

/** Checks that this database belongs to this ledger, and returns its cursor; a new one begins at the final head. */
export async function openCursor(work: Pick<BlockWork, 'db' | 'write'>, ledger: Ledger): Promise<BlockRef> {
  const genesis = await ledger.genesisHash()
  const head = await ledger.finalHead()
  const stored = await work.db.selectFrom('ledger').selectAll().executeTakeFirst()
  if (stored === undefined) {
    const row = { genesis_hash: bytesOf(genesis), height: head.height, hash: bytesOf(head.hash) }
    await work.write((tx) => tx.insertInto('ledger').values(row).execute())
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

/** Applies a block that can no longer change. Returns whether any action of ours moved. */
export function workIn(work: BlockWork, codec: Codec, block: Block): Promise<boolean> {
  const at = new Date(work.clock())
  return work.write(async (tx) => {
    const known = await ownExtrinsics(tx, block)
    const judgement = nothingYet()
    for (const extrinsic of known) await judgeExtrinsic(tx, codec, block, extrinsic, judgement)
    const elsewhere = effectsOf(block.events, work.submitter).filter(
      ({ extrinsic }) => !known.some(({ index }) => index === extrinsic),
    )
    for (const effect of elsewhere) await judgeEffect(tx, codec, block, effect, judgement)
    for (const error of new Set(judgement.untimely)) work.validity.learn(error, block.time)
    await settle(tx, judgement.settlements, at)
    await queueAgain(tx, judgement.again, at)
    await queueAgain(tx, judgement.alone, at, true)
    const ids = known.map(({ id }) => id)
    if (ids.length > 0) {
      await tx.updateTable('extrinsics').set({ state: 'final', bytes: null }).where('id', 'in', ids).execute()
    }
    const expired = await dropExpired(tx, block.height, at)
    await tx
      .updateTable('ledger')
      .set({ height: block.height, hash: bytesOf(block.hash) })
      .execute()
    return ids.length > 0 || elsewhere.length > 0 || expired
  })
}

/** Applies a block that may still be dropped: its outcomes are noted, nothing is decided. */
export function noteIncluded(work: BlockWork, codec: Codec, block: Block): Promise<void> {
  return work.write(async (tx) => {
    const judgement = nothingYet()
    for (const extrinsic of await ownExtrinsics(tx, block)) {
      await judgeExtrinsic(tx, codec, block, extrinsic, judgement)
    }
    const noted = judgement.settlements.map((settlement) => ({ ...settlement, state: 'included' as const }))
    await settle(tx, noted, new Date(work.clock()))
  })
}

interface OwnExtrinsic {
  id: number
  index: number
}

async function ownExtrinsics(tx: Tx, block: Block): Promise<OwnExtrinsic[]> {
  const indexes = new Map(block.extrinsics.map(({ hash }, index) => [hexOf(hash), index]))
  const rows = await tx
    .selectFrom('extrinsics')
    .select(['id', 'hash'])
    .where(
      'hash',
      'in',
      block.extrinsics.map(({ hash }) => hash),
    )
    .where('state', '=', 'pending')
    .execute()
  const own = rows.flatMap(({ id, hash }) => {
    const index = indexes.get(hexOf(hash))
    return index === undefined ? [] : [{ id, index }]
  })
  return own.sort((left, right) => left.index - right.index)
}

async function judgeExtrinsic(tx: Tx, codec: Codec, block: Block, own: OwnExtrinsic, judgement: Judgement) {
  const actions = await tx
    .selectFrom('actions')
    .selectAll()
    .where('extrinsic_id', '=', own.id)
    .orderBy('position')
    .execute()
  await judgeItems(
    {
      actions,
      outcomes: itemOutcomes(block.events, own.index),
      place: placeOf(block, own.index),
      transactionVersion: codec.transactionVersion,
      openBefore: (action) => openBefore(tx, action),
    },
    judgement,
  )
}

/** Returns the earlier actions of the same DID that have not come to their end. */
async function openBefore(tx: Tx, { did, sequence }: ActionRow): Promise<string[]> {
  const before = await tx
    .selectFrom('actions')
    .select('id')
    .where('did', '=', did)
    .where('sequence', '<', sequence)
    .where('state', 'not in', ['final', 'refused'])
    .execute()
  return before.map(({ id }) => id)
}

/** Recognises our action in an extrinsic that the tables do not know. */
async function judgeEffect(tx: Tx, codec: Codec, block: Block, effect: Effect, judgement: Judgement) {
  const open = await tx
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

async function dropExpired(tx: Tx, height: number, at: Date): Promise<boolean> {
  const expired = await tx
    .selectFrom('extrinsics')
    .select('id')
    .where('state', '=', 'pending')
    .where('dies_at', '<=', height)
    .execute()
  await dropAll(
    tx,
    expired.map(({ id }) => id),
    at,
  )
  return expired.length > 0
}

function placeOf(block: Block, index: number): Outcome {
  const extrinsic = block.extrinsics[index]
  const place: Outcome = { blockHeight: block.height, blockHash: block.hash, extrinsicIndex: index }
  if (extrinsic !== undefined) place.extrinsicHash = hexOf(extrinsic.hash)
  return place
}
