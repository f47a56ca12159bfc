import type { AccountPair } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import { Refusal } from '../start/refusal.js'
import { type Call, callOf, finalState, LedgerRefusal, requireAddress, send, storedAccounts } from './ledger-client.js'
import { castVote, close, propose } from './motion.js'
import { type Effect, effectOf, IN_DOUBT, type Motion, openMotions, requireMotion } from './motions.js'

/** The end of a member's command; `open` while too few have voted. */
export interface Outcome {
  readonly is: 'open' | 'made' | 'voted down' | 'closed by another member'
  /** The motion with its votes, before it was closed; none where one member decides alone. */
  readonly motion: Motion | undefined
  /** The effect of what one member decided alone. */
  readonly alone?: Effect
}

/** Tells what a command is about to decide, before it does. */
export type Tell = (line: string) => void

/** The names of keystore files of which whoever proposes a validator says that its node has them. */
export type KeystoreHas = readonly string[]

/**
 * Proposes a call, votes for it, and lets it be made where that is enough. A council of one member decides with that: it
 * adds no validator of which it has not been said that its node has its keys.
 */
export async function proposeAndVote(
  api: ApiPromise,
  member: AccountPair,
  call: Call,
  keystoreHas: KeystoreHas,
  tell: Tell,
): Promise<Outcome> {
  const members = await requireMember(api, member)
  const state = await finalState(api)
  const effect = await effectOf(state, call)
  const isAlone = members.length === 1
  if (isAlone || keystoreHas.length > 0) requireKeystore(effect, keystoreHas)
  const hash = call.method.hash.toHex()
  const open = (await openMotions(state)).find((one) => one.hash === hash)
  // A command that broke off after it had proposed is given again.
  if (open) return voteOn(api, member, open.number, { isFor: true }, tell)
  if (isAlone) tell(`A council of one member decides at once. This ${effect.does}.`)
  const motion = await propose(api, member, call, members.length)
  if (motion === undefined) return { is: 'made', motion, alone: effect }
  return voteOn(api, member, motion.number, { isFor: true }, tell)
}

/** Refuses to add a validator whose node may lack its keys: nothing may become final again with one that never votes. */
function requireKeystore({ does, keystoreFiles }: Effect, keystoreHas: KeystoreHas): void {
  if (keystoreFiles.length === keystoreHas.length && keystoreFiles.every((file) => keystoreHas.includes(file))) return
  const options = keystoreFiles.map((file) => `--keystore-has ${file}`).join(' ')
  throw new Refusal(
    `This ${does}. A validator whose node lacks its keys never votes: its operator looks for these files. When they are there: ${options}`,
  )
}

export interface Vote {
  readonly isFor: boolean
  /** The hash of the runtime that the member means; other motions get no vote. */
  readonly runtime?: string | undefined
}

/** Votes on a motion, and closes it where that decides it. The same vote once more changes nothing. */
export async function voteOn(
  api: ApiPromise,
  member: AccountPair,
  number: number,
  vote: Vote,
  tell: Tell,
): Promise<Outcome> {
  await requireMember(api, member)
  const before = await requireMotion(await finalState(api), number)
  if (vote.runtime !== undefined && vote.runtime !== before.runtime)
    throw new Refusal(`Motion ${number} ${before.does}, and not that of the file (${vote.runtime}).`)
  if (vote.isFor) requireNoDoubt(before)
  const same = vote.isFor ? before.ayes : before.nays
  if (vote.isFor && new Set([...before.ayes, member.address]).size >= before.needed)
    tell(`This vote decides motion ${number}, which ${before.does}.`)
  return unlessClosed(before, async () => {
    if (!same.includes(member.address)) await castVote(api, member, before, vote.isFor)
    return settle(api, member, number)
  })
}

/** Closes a motion that is decided, or whose time is over. */
export async function closeMotion(api: ApiPromise, member: AccountPair, number: number, tell: Tell): Promise<Outcome> {
  const motion = await requireMotion(await finalState(api), number)
  if (motion.ayes.length >= motion.needed) {
    requireNoDoubt(motion)
    tell(`This closes motion ${number}, which ${motion.does}.`)
  }
  return unlessClosed(motion, async () => ({ is: await close(api, member, motion), motion }))
}

/** Closes a motion where its votes decide it. Whoever voted at the same moment may have been first. */
async function settle(api: ApiPromise, member: AccountPair, number: number): Promise<Outcome> {
  const state = await finalState(api)
  const motion = (await openMotions(state)).find((one) => one.number === number)
  if (motion === undefined) return { is: 'closed by another member', motion }
  const members = await storedAccounts(state, 'council', 'members')
  const isVotedDown = members.length - motion.nays.length < motion.needed
  // The list may have changed since the votes: then the motion says another thing than what they were for.
  const isCarried = motion.ayes.length >= motion.needed && motion.doubt === undefined
  if (!isVotedDown && !isCarried) return { is: 'open', motion }
  return { is: await close(api, member, motion), motion }
}

/** Refuses to help a motion of which nobody knows what it does, or which does something else than was meant. */
function requireNoDoubt({ number, does, doubt }: Motion): void {
  if (doubt !== undefined) throw new Refusal(`Motion ${number} ${does}: ${doubt}; ${IN_DOUBT}.`)
}

/** Does something with a motion that another member may have closed a moment ago. */
async function unlessClosed(motion: Motion, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof LedgerRefusal) || error.reason !== 'council.ProposalMissing') throw error
    return { is: 'closed by another member', motion }
  }
}

/** Gives the seat of a member to another account, which is how it changes its key. Nobody votes on that. */
export async function giveSeat(api: ApiPromise, member: AccountPair, wanted: string): Promise<string> {
  await requireMember(api, member)
  const account = await requireAddress(wanted)
  await send(api, member, callOf(api, 'councilMembers', 'changeKey', account))
  return account
}

async function requireMember(api: ApiPromise, { address }: AccountPair): Promise<string[]> {
  const members = await storedAccounts(api, 'council', 'members')
  if (members.includes(address)) return members
  const others = members.length === 0 ? 'This ledger has no council.' : `Its members are ${members.join(', ')}.`
  throw new Refusal(`${address} is no member of the council. ${others}`)
}
