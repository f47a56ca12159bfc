import type { AccountPair } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import { Refusal } from '../start/refusal.js'
import { type Call, callOf, errorName, type LedgerEvents, LedgerRefusal, send } from './ledger-client.js'

/** The weight that the call of a motion may have: a twelfth of a block. */
const WEIGHT = { refTime: 100_000_000_000, proofSize: 1_000_000 }

/** A motion as votes and its close name it. */
export interface MotionName {
  /** Motions of one ledger are counted from 0. */
  readonly number: number
  /** The hash of its call: votes are for that, whatever a node says that it means. */
  readonly hash: string
  /** The length of its call in bytes. */
  readonly length: number
}

/** Returns how many members have to agree. */
export const votesNeeded = (members: number): number => Math.ceil((2 * members) / 3)

/**
 * Makes a motion, for which its member has not voted yet. A council of one member decides at once: then there is no
 * motion, and the call was made.
 */
export async function propose(
  api: ApiPromise,
  member: AccountPair,
  call: Call,
  members: number,
): Promise<MotionName | undefined> {
  const length = call.method.encodedLength
  const events = await send(api, member, callOf(api, 'council', 'propose', votesNeeded(members), call, length))
  const [, index, hash] = dataOf(events, 'Proposed') ?? []
  if (index !== undefined && hash !== undefined) return { number: Number(index.toString()), hash: hash.toHex(), length }
  requireExecuted(api, events)
  return undefined
}

/** Votes for a motion, or against it. The same vote once more changes nothing. */
export async function castVote(
  api: ApiPromise,
  member: AccountPair,
  { hash, number }: MotionName,
  isFor = true,
): Promise<void> {
  await send(api, member, callOf(api, 'council', 'vote', hash, number, isFor)).catch((error: unknown) => {
    if (!(error instanceof LedgerRefusal) || error.reason !== 'council.DuplicateVote') throw error
  })
}

/** Closes a motion that is decided, or whose time is over. Returns whether its call was made. */
export async function close(
  api: ApiPromise,
  member: AccountPair,
  { hash, number, length }: MotionName,
): Promise<'made' | 'voted down'> {
  const events = await send(api, member, callOf(api, 'council', 'close', hash, number, WEIGHT, length))
  if (dataOf(events, 'Disapproved') !== undefined) return 'voted down'
  requireExecuted(api, events)
  return 'made'
}

/** Returns what an event of the council says; undefined where there is none. */
const dataOf = (events: LedgerEvents, name: string) =>
  events.find(({ event }) => event.section === 'council' && event.method === name)?.event.data

function requireExecuted(api: ApiPromise, events: LedgerEvents): void {
  const [, outcome] = dataOf(events, 'Executed') ?? []
  if (outcome === undefined) throw new Refusal('The motion was closed and its call was not made.')
  const result = api.createType('Result<Null, DispatchError>', outcome.toU8a())
  if (result.isErr) throw new Refusal(`The council agreed, and the ledger refused: ${errorName(api, result.asErr)}.`)
}
