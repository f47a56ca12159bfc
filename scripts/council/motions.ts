import { treasury } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { Refusal } from '../start/refusal.js'
import { keystoreFiles, publicKeys } from './keys-in-effect.js'
import { type Call, stored, storedAccounts } from './ledger-client.js'
import { type MotionName, votesNeeded } from './motion.js'

const Hashes = Type.Array(Type.String())
const Votes = Type.Object({
  index: Type.Integer(),
  threshold: Type.Integer(),
  ayes: Type.Array(Type.String()),
  nays: Type.Array(Type.String()),
  end: Type.Integer(),
})

/** The effect of a call of the council. */
export interface Effect {
  /** The effect, when as many agree as have to. */
  readonly does: string
  /** The hash of the runtime that it allows, where it is about one. */
  readonly runtime: string | undefined
  /** The sentence on what is still to be done, or waited for, once its call was made. */
  readonly afterwards: string | undefined
  /** The reason for which nobody should agree: it cannot be read, or does more than was meant. */
  readonly doubt: string | undefined
  /** The files that have to be in the keystores of the validators that it adds. */
  readonly keystoreFiles: readonly string[]
}

/** A motion on which the council votes. */
export interface Motion extends MotionName, Effect {
  /** So many have to agree: two thirds of the members as it was proposed, and of those of now. */
  readonly needed: number
  /** The first of the two: so many keep it from being voted down. */
  readonly threshold: number
  readonly ayes: readonly string[]
  readonly nays: readonly string[]
  /** The block after which it is closed with the votes that it has. */
  readonly endsAfter: number
}

/** A reader of the storage after one block, or after the newest. */
export type State = Pick<ApiPromise, 'query' | 'registry'>

/** Returns the open motions in a state of the ledger, the oldest first. */
export async function openMotions(state: State): Promise<Motion[]> {
  const hashes = await stored(state, 'council', 'proposals')
  if (!Check(Hashes, hashes)) throw new Refusal('The motions of this network cannot be read.')
  const members = await storedAccounts(state, 'council', 'members')
  const motions = await Promise.all(hashes.map((hash) => motionOf(state, hash, members.length)))
  return motions.sort((one, other) => one.number - other.number)
}

/** Returns one open motion. */
export async function requireMotion(state: State, number: number): Promise<Motion> {
  const open = await openMotions(state)
  const found = open.find((motion) => motion.number === number)
  if (found) return found
  const others = open.length === 0 ? 'none is' : `${open.map((motion) => motion.number).join(', ')} are`
  throw new Refusal(`Motion ${number} is not open: ${others}.`)
}

/** A length that the call of a motion surely does not have: one that cannot be read is never made. */
const UNKNOWN_LENGTH = 65_536

async function motionOf(state: State, hash: string, members: number): Promise<Motion> {
  const votes = await stored(state, 'council', 'voting', hash)
  if (!Check(Votes, votes)) throw new Refusal(`The votes on the motion ${hash} cannot be read.`)
  const { index: number, threshold, ayes, nays, end: endsAfter } = votes
  // The ledger makes the call for two thirds of the members of then; a close with fewer takes the motion away.
  const needed = Math.max(threshold, votesNeeded(members))
  return { number, hash, needed, threshold, ayes, nays, endsAfter, ...(await meaningOf(state, hash)) }
}

/** The way out of a motion of which nobody knows what it does, or which does something else than was meant. */
export const IN_DOUBT = 'vote --against it, and propose what is meant anew'

/** The next step after a decision, by its kind; the others have an effect at once. */
export const AFTERWARDS = {
  runtime: 'The runtime itself is brought now, by anyone with the file and an account: bring FILE --key FILE.',
  added: 'It takes effect after two sessions, a minute at most: status tells.',
  removed: 'It takes effect after two sessions, a minute at most: its node goes on until status names it no more.',
} as const

/** Reads the call of a motion. One that was made under another runtime may mean nothing now. */
async function meaningOf(state: State, hash: string): Promise<Effect & { length: number }> {
  const call = await callOfMotion(state, hash).catch(() => undefined)
  // Votes are for the hash: a node could tell another call than the one that it stands for.
  if (call === undefined || call.hash.toHex() !== hash) {
    const doubt = 'its call cannot be read with the runtime that the ledger has'
    const does = `does something unknown (call ${hash})`
    return { does, runtime: undefined, afterwards: undefined, doubt, keystoreFiles: [], length: UNKNOWN_LENGTH }
  }
  return { ...(await effectOfCall(state, call)), length: call.encodedLength }
}

/** Returns what a call that is proposed would do in a state of the ledger. */
export const effectOf = (state: State, call: Call): Promise<Effect> =>
  effectOfCall(state, state.registry.createType('Call', call.method.toU8a()))

async function effectOfCall(state: State, call: CouncilCall): Promise<Effect> {
  const made = madeAsRoot(call)
  const changes = await validatorsChanged(state, made ?? call)
  const count = changes && changes.added.length + changes.removed.length
  const doubt =
    count === undefined || count === 1
      ? undefined
      : `it changes ${count} validators instead of one: the list was another one when it was proposed, or another tool proposed it`
  const does = changes ? listText(changes) : await whatIsDone(made ?? call, made !== undefined)
  const runtime = runtimeOf(made ?? call)
  const ofValidators = changes && (changes.removed.length > 0 ? AFTERWARDS.removed : AFTERWARDS.added)
  const afterwards = runtime ? AFTERWARDS.runtime : ofValidators
  const keystoreFiles = changes?.added.flatMap(({ files }) => files) ?? []
  return { does, runtime, afterwards, doubt, keystoreFiles }
}

async function callOfMotion(state: State, hash: string) {
  const entry = await state.query.council?.proposalOf?.(hash)
  const option = entry && state.registry.createType('Option<Call>', entry.toU8a())
  return option?.isSome ? option.unwrap() : undefined
}

type CouncilCall = NonNullable<Awaited<ReturnType<typeof callOfMotion>>>

const nameOf = ({ section, method }: CouncilCall) => `${section}.${method}`

/** Returns the call that the council makes as root; undefined where it makes none. */
const madeAsRoot = (call: CouncilCall): CouncilCall | undefined =>
  nameOf(call) === 'governance.act' ? call.registry.createType('Call', call.args[0]?.toU8a()) : undefined

const runtimeOf = (call: CouncilCall): string | undefined =>
  nameOf(call) === 'system.authorizeUpgradeWithoutChecks' ? call.args[0]?.toHex() : undefined

/** Tells what a call does: in the words of who decides where a command of ours proposes it, else by its name. */
async function whatIsDone(call: CouncilCall, isAsRoot: boolean): Promise<string> {
  const given = call.args.map((arg) => arg.toJSON())
  const [first, second, third] = given
  switch (nameOf(call)) {
    case 'system.authorizeUpgradeWithoutChecks':
      return `allows the runtime of the hash ${first}`
    case 'balances.forceTransfer': {
      const source = idOf(first)
      return `pays ${idOf(second)} ${BigInt(String(third))} from ${source === (await treasury()) ? 'the treasury' : source}`
    }
    case 'councilMembers.addMember':
      return `makes ${idOf(first)} a member of the council`
    case 'councilMembers.removeMember':
      return `takes ${idOf(first)} out of the council`
    default:
      return `calls ${nameOf(call)}(${given.map((arg) => JSON.stringify(arg)).join(', ')})${isAsRoot ? ', as root' : ''}`
  }
}

const Address = Type.Object({ id: Type.String() })

/** Returns the account of an address, which some calls wrap. */
const idOf = (address: unknown): string => (Check(Address, address) ? address.id : String(address))

const Accounts = Type.Array(Type.String())

/** An account that comes onto the list, with the files of the keys with which it is to sign: none where it named none. */
interface Added {
  readonly account: string
  readonly files: readonly string[]
}

interface ListChange {
  readonly added: readonly Added[]
  readonly removed: readonly string[]
}

/** Returns what a call would change of the list of validators now; undefined where it is about something else. */
async function validatorsChanged(state: State, call: CouncilCall): Promise<ListChange | undefined> {
  const wanted = call.args[0]?.toJSON()
  if (nameOf(call) !== 'governance.setValidators' || !Check(Accounts, wanted)) return undefined
  const now = await storedAccounts(state, 'governance', 'validators')
  const added = wanted.filter((account) => !now.includes(account))
  return {
    added: await Promise.all(added.map(async (account) => ({ account, files: await filesOf(state, account) }))),
    removed: now.filter((account) => !wanted.includes(account)),
  }
}

async function filesOf(state: State, account: string): Promise<string[]> {
  const keys = publicKeys(await stored(state, 'session', 'nextKeys', account))
  return keys === null ? [] : keystoreFiles(keys)
}

/** Names the keys of whoever is added: an account that was a validator once still has those that it named then. */
function listText({ added, removed }: ListChange): string {
  const parts = [
    ...(added.length > 0 ? [`adds ${added.map(({ account }) => account).join(', ')} to`] : []),
    ...(removed.length > 0 ? [`takes ${removed.join(', ')} off`] : []),
  ]
  if (parts.length === 0) return 'leaves the list of validators as it is'
  return [`${parts.join(' and ')} the list of validators`, ...added.map(keysOfAdded)].join(', ')
}

const keysOfAdded = ({ account, files }: Added): string =>
  files.length === 0
    ? `without keys of ${account}, which has named none, so that the ledger will refuse (governance.NoKeys)`
    : `with the keys that have to be in the keystore of ${account}: ${files.join(' ')}`
