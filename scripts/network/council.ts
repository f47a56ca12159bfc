import { readdir, readFile } from 'node:fs/promises'
import { type AccountPair, accountPair } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import { Refusal } from '../start/refusal.js'
import { type Call, callOf, errorName, send, storedAccounts } from './ledger-client.js'
import { keyFile } from './network-state.js'

/** The weight that the call of a motion may have: a twelfth of a block. */
const WEIGHT = { refTime: 100_000_000_000, proofSize: 1_000_000 }

/** Returns the members of the council whose keys stand in the state folder, as many as decide. */
export async function councilOf(api: ApiPromise, stateDir: string): Promise<AccountPair[]> {
  const members = await storedAccounts(api, 'council', 'members')
  const names = (await readdir(keyFile(stateDir, ''))).filter((name) => /^council-\d+\.key$/.test(name))
  const pairs = await Promise.all(names.map((name) => pairOf(stateDir, name.replace(/\.key$/, ''))))
  const present = pairs.filter(({ address }) => members.includes(address))
  const needed = Math.ceil((2 * members.length) / 3)
  if (present.length < needed || needed === 0)
    throw new Refusal(
      `The council has ${members.length} members, of whom ${present.length} have their key in ${keyFile(stateDir, '')}: ${needed} have to agree.`,
    )
  return present.slice(0, needed)
}

/** Returns the account whose seed stands in the state folder under a name. */
async function pairOf(stateDir: string, name: string): Promise<AccountPair> {
  const text = (await readFile(keyFile(stateDir, `${name}.key`), 'utf8').catch(() => '')).trim()
  if (!/^0x[0-9a-f]{64}$/.test(text)) throw new Refusal(`${keyFile(stateDir, `${name}.key`)} holds no seed of a key.`)
  return accountPair(`0x${text.slice(2)}`)
}

/** Brings a call of the pallet `governance` to its end: a motion, the votes, and its close, which makes the call. */
export async function decide(api: ApiPromise, council: readonly AccountPair[], call: Call): Promise<void> {
  const [first] = council
  if (first === undefined) throw new Refusal('Nobody of the council is here.')
  const length = call.method.encodedLength
  const proposed = await send(api, first, callOf(api, 'council', 'propose', council.length, call, length))
  // A motion that one member decides is made at once.
  if (council.length === 1) return requireExecuted(api, proposed)
  const { proposalIndex, proposalHash } = motionOf(proposed)
  const vote = (member: AccountPair) =>
    send(api, member, callOf(api, 'council', 'vote', proposalHash, proposalIndex, true))
  await Promise.all(council.map(vote))
  const close = callOf(api, 'council', 'close', proposalHash, proposalIndex, WEIGHT, length)
  requireExecuted(api, await send(api, first, close))
}

/** Makes a call as root, by the council. */
export function decideAsRoot(api: ApiPromise, council: readonly AccountPair[], call: Call): Promise<void> {
  return decide(api, council, callOf(api, 'governance', 'act', call))
}

type Events = Awaited<ReturnType<typeof send>>

function motionOf(events: Events): { proposalIndex: string; proposalHash: string } {
  const found = events.find(({ event }) => event.section === 'council' && event.method === 'Proposed')
  const [, index, hash] = found?.event.data ?? []
  if (index === undefined || hash === undefined) throw new Refusal('The motion was not made.')
  return { proposalIndex: index.toString(), proposalHash: hash.toHex() }
}

function requireExecuted(api: ApiPromise, events: Events): void {
  const found = events.find(({ event }) => event.section === 'council' && event.method === 'Executed')
  const [, outcome] = found?.event.data ?? []
  if (outcome === undefined) throw new Refusal('The motion was closed and its call was not made.')
  const result = api.createType('Result<Null, DispatchError>', outcome.toU8a())
  if (result.isErr) throw new Refusal(`The council agreed, and the ledger refused: ${errorName(api, result.asErr)}.`)
}
