import type { AccountPair } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import { Refusal } from '../start/refusal.js'
import {
  type Call,
  callOf,
  finalState,
  LedgerRefusal,
  newestState,
  requireAddress,
  send,
  stored,
  storedAccounts,
} from './ledger-client.js'
import { castVote, close, propose } from './motion.js'
import { type Effect, effectOf, IN_DOUBT, type Motion, openMotions, requireMotion, type State } from './motions.js'

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
  const newest = await newestState(api)
  requireSettled(effect, await effectOf(newest, call))
  const isAlone = members.length === 1
  if (isAlone || keystoreHas.length > 0) requireKeystore(effect, keystoreHas)
  const hash = call.method.hash.toHex()
  const openIn = async (where: State) => (await openMotions(where)).find((one) => one.hash === hash)
  const open = await openIn(state)
  if (!open && (await openIn(newest)))
    throw new Refusal('This was proposed in a block that is not final yet: ask again in a moment.')
  // A command that broke off after it had proposed is given again.
  if (open && open.needed <= members.length) return voteOn(api, member, open.number, { isFor: true }, tell)
  // The council has become smaller than the votes that its older motion needs.
  if (open) await closeMotion(api, member, open.number, tell)
  if (isAlone) tell(`A council of one member decides at once. This ${effect.does}.`)
  const motion = await propose(api, member, call, members.length)
  if (motion === undefined) return { is: 'made', motion, alone: effect }
  return voteOn(api, member, motion.number, { isFor: true }, tell)
}

/** Refuses a call that does another thing by what is in blocks that are not final yet: they count when it is made. */
function requireSettled(final: Effect, newest: Effect): void {
  if (final.does === newest.does && final.doubt === undefined) return
  throw new Refusal(
    'The list of validators, or the keys of whoever is added, have changed in a block that is not final yet: ask again in a moment.',
  )
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
  const state = await finalState(api)
  const before = await requireMotion(state, number)
  if (vote.runtime !== undefined && vote.runtime !== before.runtime)
    throw new Refusal(`Motion ${number} ${before.does}, and not that of the file (${vote.runtime}).`)
  if (vote.isFor) requireNoDoubt(before)
  const same = vote.isFor ? before.ayes : before.nays
  const after = withVote(before, member, vote.isFor)
  const decision = await decisionOf(state, after)
  const told = decision && mayClose(decision, vote) ? endText(after, decision) : undefined
  if (told) tell(told)
  return unlessClosed(before, async () => {
    if (!same.includes(member.address)) await castVote(api, member, before, vote.isFor)
    return settle(api, member, number, vote, (line) => line === told || tell(line))
  })
}

/** A vote against a motion does not carry it out. */
const mayClose = (decision: Decision, { isFor }: Vote): boolean => isFor || decision === 'against'

/** Closes a motion that is decided, or whose time is over. */
export async function closeMotion(api: ApiPromise, member: AccountPair, number: number, tell: Tell): Promise<Outcome> {
  const state = await finalState(api)
  const motion = await requireMotion(state, number)
  if (motion.ayes.length >= motion.needed) requireNoDoubt(motion)
  const isOver = motion.endsAfter <= Number(await stored(state, 'system', 'number'))
  const decision = await decisionOf(state, motion)
  if (!(await isSettled(api, motion, decision))) throw new Refusal(notSettled(motion))
  if (decision === undefined && !isOver)
    throw new Refusal(
      `Motion ${number} is not decided, and its time is not over: ${motion.ayes.length} of the ${motion.needed} that have to agree do.`,
    )
  tell(endText(motion, decision ?? 'against'))
  if (decision === undefined && motion.ayes.length >= motion.threshold)
    tell('It has the votes of a smaller council: the ledger tries its call, and refuses what two thirds of now decide.')
  return unlessClosed(motion, async () => ({ is: await close(api, member, motion), motion }))
}

/** Closes a motion where its votes decide it. Whoever voted at the same moment may have been first. */
async function settle(api: ApiPromise, member: AccountPair, number: number, vote: Vote, tell: Tell): Promise<Outcome> {
  const state = await finalState(api)
  const motion = (await openMotions(state)).find((one) => one.number === number)
  if (motion === undefined) return { is: 'closed by another member', motion }
  const decision = await decisionOf(state, motion)
  if (decision === undefined || !mayClose(decision, vote)) return { is: 'open', motion }
  if (!(await isSettled(api, motion, decision))) {
    tell(notSettled(motion))
    return { is: 'open', motion }
  }
  tell(endText(motion, decision))
  return { is: await close(api, member, motion), motion }
}

/** Tells whether the newest block has a motion as the final one does: votes that are not final yet count when it is closed. */
async function isSettled(api: ApiPromise, { number, does }: Motion, decision: Decision | undefined): Promise<boolean> {
  const newest = await newestState(api)
  const motion = (await openMotions(newest)).find((one) => one.number === number)
  // One that somebody else closed is told as such by its close.
  return motion === undefined || (motion.does === does && (await decisionOf(newest, motion)) === decision)
}

const notSettled = ({ number }: Motion): string =>
  `Motion ${number} is another one, or has other votes, in a block that is not final yet: close it in a moment.`

/** Returns a motion as it is once a member has voted. */
function withVote(motion: Motion, { address }: AccountPair, isFor: boolean): Motion {
  const without = (voters: readonly string[]) => voters.filter((voter) => voter !== address)
  const [ayes, nays] = [without(motion.ayes), without(motion.nays)]
  return isFor ? { ...motion, ayes: [...ayes, address], nays } : { ...motion, ayes, nays: [...nays, address] }
}

type Decision = 'for' | 'against'

/** Returns what the votes on a motion decide; undefined while more are needed. */
async function decisionOf(state: State, motion: Motion): Promise<Decision | undefined> {
  const { needed, threshold, ayes, nays, doubt } = motion
  const members = await storedAccounts(state, 'council', 'members')
  if (members.length - nays.length < threshold) return 'against'
  // The list may have changed since the votes: then the motion says another thing than what they were for.
  return ayes.length >= needed && doubt === undefined ? 'for' : undefined
}

/** Tells what the close of a motion does. */
const endText = ({ number, does }: Motion, decision: Decision): string =>
  decision === 'for'
    ? `This carries out motion ${number}, which ${does}.`
    : `Without carrying it out, this ends motion ${number}, which ${does}.`

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
