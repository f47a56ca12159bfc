import { readdir } from 'node:fs/promises'
import type { AccountPair } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import { accountOfFile } from '../council/key-file.js'
import { type Ask, type Call, storedAccounts, withLedger } from '../council/ledger-client.js'
import { castVote, close, propose, votesNeeded } from '../council/motion.js'
import { Refusal } from '../start/refusal.js'
import { interruption } from './interruption.js'
import { keyFile, type NodeState } from './network-state.js'
import { rpcUrlOf } from './status.js'

/** Members of a council whose keys are all here, as many as decide, and how many members there are. */
export interface CouncilHere {
  readonly present: readonly [AccountPair, ...AccountPair[]]
  readonly members: number
}

/** Does some work on the ledger through a node of this network, unless a person interrupts the command. */
export const onLedger = <T>(node: NodeState, work: (api: ApiPromise, ask: Ask) => Promise<T>): Promise<T> =>
  withLedger(rpcUrlOf(node), work, interruption)

/** Returns the members of the council whose keys stand in the state folder, as many as decide. */
export async function councilOf(api: ApiPromise, stateDir: string): Promise<CouncilHere> {
  const members = await storedAccounts(api, 'council', 'members')
  const names = (await readdir(keyFile(stateDir, ''))).filter((name) => /^council-\d+\.key$/.test(name))
  const pairs = await Promise.all(names.map((name) => accountOfFile(keyFile(stateDir, name))))
  const present = pairs.filter(({ address }) => members.includes(address))
  const needed = votesNeeded(members.length)
  const [first, ...others] = present.slice(0, needed)
  if (first === undefined || present.length < needed)
    throw new Refusal(
      `The council has ${members.length} members, of whom ${present.length} have their key in ${keyFile(stateDir, '')}: ${needed} have to agree. Each votes where its key is: npm run council.`,
    )
  return { present: [first, ...others], members: members.length }
}

/** Brings a call to its end: a motion, the votes of all who are here, and its close, which makes the call. */
export async function decide(api: ApiPromise, { present, members }: CouncilHere, call: Call): Promise<void> {
  const motion = await propose(api, present[0], call, members)
  if (motion === undefined) return
  await Promise.all(present.map((member) => castVote(api, member, motion)))
  await close(api, present[0], motion)
}
