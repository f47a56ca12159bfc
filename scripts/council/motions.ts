import { treasury } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { Refusal } from '../start/refusal.js'
import { stored, storedAccounts } from './ledger-client.js'
import type { MotionName } from './motion.js'

const Hashes = Type.Array(Type.String())
const Votes = Type.Object({
  index: Type.Integer(),
  threshold: Type.Integer(),
  ayes: Type.Array(Type.String()),
  nays: Type.Array(Type.String()),
  end: Type.Integer(),
})

/** A motion on which the council votes. */
export interface Motion extends MotionName {
  /** The effect, when as many agree as have to. */
  readonly does: string
  /** The hash of the runtime that it allows, where it is about one. */
  readonly runtime: string | undefined
  readonly needed: number
  readonly ayes: readonly string[]
  readonly nays: readonly string[]
  /** The block after which it is closed with the votes that it has. */
  readonly endsAfter: number
}

type State = Awaited<ReturnType<ApiPromise['at']>>

/** Returns the open motions in a state of the ledger, the oldest first. */
export async function openMotions(state: State): Promise<Motion[]> {
  const hashes = await stored(state, 'council', 'proposals')
  if (!Check(Hashes, hashes)) throw new Refusal('The motions of this network cannot be read.')
  const motions = await Promise.all(hashes.map((hash) => motionOf(state, hash)))
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

async function motionOf(state: State, hash: string): Promise<Motion> {
  const votes = await stored(state, 'council', 'voting', hash)
  const call = await callOfMotion(state, hash)
  if (!Check(Votes, votes) || call === undefined) throw new Refusal(`The motion ${hash} cannot be read.`)
  // Votes are for the hash: a node could tell another call than the one that it stands for.
  if (call.hash.toHex() !== hash) throw new Refusal(`The node tells another call for the motion ${hash}.`)
  const { index: number, threshold: needed, ayes, nays, end: endsAfter } = votes
  const does = await whatIsDone(state, call)
  return { number, hash, length: call.encodedLength, does, runtime: runtimeOf(call), needed, ayes, nays, endsAfter }
}

async function callOfMotion(state: State, hash: string) {
  const entry = await state.query.council?.proposalOf?.(hash)
  const option = entry && state.registry.createType('Option<Call>', entry.toU8a())
  return option?.isSome ? option.unwrap() : undefined
}

type CouncilCall = NonNullable<Awaited<ReturnType<typeof callOfMotion>>>

const nameOf = ({ section, method }: CouncilCall) => `${section}.${method}`

/** Returns the call that the council makes as root; the call itself where it is no such one. */
const asRootOf = (call: CouncilCall): CouncilCall =>
  nameOf(call) === 'governance.act' ? call.registry.createType('Call', call.args[0]?.toU8a()) : call

const runtimeOf = (call: CouncilCall): string | undefined => {
  const inner = asRootOf(call)
  return nameOf(inner) === 'system.authorizeUpgradeWithoutChecks' ? inner.args[0]?.toHex() : undefined
}

const Accounts = Type.Array(Type.String())

/** Tells what a call does, in the words of who decides; those that no command of ours proposes by name and arguments. */
async function whatIsDone(state: State, call: CouncilCall): Promise<string> {
  const inner = asRootOf(call)
  const given = inner.args.map((arg) => arg.toJSON())
  const [first, second, third] = given
  switch (nameOf(inner)) {
    case 'governance.setValidators':
      return Check(Accounts, first)
        ? listChanged(await storedAccounts(state, 'governance', 'validators'), first)
        : told()
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
      return told()
  }

  function told(): string {
    const asRoot = inner === call ? '' : ', as root'
    return `calls ${nameOf(inner)}(${given.map((arg) => JSON.stringify(arg)).join(', ')})${asRoot}`
  }
}

const Address = Type.Object({ id: Type.String() })

/** Returns the account of an address, which some calls wrap. */
const idOf = (address: unknown): string => (Check(Address, address) ? address.id : String(address))

function listChanged(now: readonly string[], wanted: readonly string[]): string {
  const added = wanted.filter((account) => !now.includes(account))
  const removed = now.filter((account) => !wanted.includes(account))
  const parts = [
    ...(added.length > 0 ? [`adds ${added.join(', ')} to`] : []),
    ...(removed.length > 0 ? [`takes ${removed.join(', ')} off`] : []),
  ]
  return parts.length === 0 ? 'leaves the list of validators as it is' : `${parts.join(' and ')} the list of validators`
}
