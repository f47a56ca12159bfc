import { existsSync } from 'node:fs'
import { type AccountPair, accountPair } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import { randomSeed } from '../council/key-file.js'
import { callOf, finalState, send, storedAccounts } from '../council/ledger-client.js'
import { validatorAdded, validatorRemoved } from '../council/proposals.js'
import { madeByNode, nameSessionKeys, type SessionKeys } from '../council/session-keys.js'
import { Refusal } from '../start/refusal.js'
import { waitUntil } from '../start/wait-until.js'
import { withCleanUp } from './clean-up.js'
import { councilOf, decide, onLedger } from './council.js'
import { keepKey, makeNode } from './make-network.js'
import { type NetworkState, type NodeState, nodeFolder, requireState, saveState } from './network-state.js'
import { requireNodeProgram, stopNode } from './node-process.js'
import { requireRunning, type Start, startNodes, withLock } from './run-network.js'

/** The money that a validator's account gets for its fees. */
const FOR_FEES = 10n ** 16n
/** A change of the list takes effect after two sessions of half a minute. */
const IN_EFFECT_WITHIN_MS = 180_000
const ASK_EVERY_MS = 500

/** Adds a validator: a node that makes its keys, an account that names them, a motion; and waits until it is one. */
export async function addValidator(options: Pick<Start, 'stateDir' | 'nodeProgram'>): Promise<NodeState> {
  const { stateDir } = options
  await requireState(stateDir)
  const program = await requireNodeProgram(options.nodeProgram)
  return withLock(stateDir, async () => {
    const state = await requireState(stateDir)
    const running = await requireRunning(stateDir, state)
    const secret = randomSeed()
    const own = await accountPair(secret)
    const account = own.address
    const made = { ...(await makeNode(stateDir, freeName(stateDir), 'validator')), account }
    await keepKey(stateDir, made.name, secret)
    const grown = { ...state, nodes: [...state.nodes, made] }
    const keys = await withSessionKeys(program, stateDir, grown, made, own)
    await onLedger(running, async (api) => {
      const council = await councilOf(api, stateDir)
      await send(api, council.present[0], callOf(api, 'balances', 'transferKeepAlive', account, FOR_FEES))
      await nameSessionKeys(api, own, keys)
      await decide(api, council, await validatorAdded(api, account))
      await untilValidator(api, account, true)
    })
    return made
  })
}

/** Removes a validator by a motion, waits until it is none, and ends its node. Its folder stays. */
export async function removeValidator(stateDir: string, name: string): Promise<NodeState> {
  return withLock(stateDir, async () => {
    const state = await requireState(stateDir)
    const node = state.nodes.find((one) => one.name === name)
    const account = node?.account
    if (node === undefined || account === undefined)
      throw new Refusal(`${name} is no validator of this network: ${state.nodes.map((one) => one.name).join(', ')}.`)
    const others = { ...state, nodes: state.nodes.filter((one) => one !== node) }
    const running = await requireRunning(stateDir, others)
    await onLedger(running, async (api) => {
      // A node of an addition that failed was never listed: there is nothing to vote for.
      if (!(await storedAccounts(api, 'governance', 'validators')).includes(account)) return
      await decide(api, await councilOf(api, stateDir), await validatorRemoved(api, account))
      await untilValidator(api, account, false)
    })
    await stopNode(stateDir, node)
    await saveState(stateDir, others)
    return node
  })
}

/** Returns the name of a validator that never was: the folder of one that was removed stays. */
function freeName(stateDir: string): string {
  for (let number = 1; ; number += 1) {
    const name = `validator-${number}`
    if (!existsSync(nodeFolder(stateDir, { name }))) return name
  }
}

/** Starts a new node twice: once as its operator asks it to make keys, and then as everybody may ask it. */
async function withSessionKeys(
  program: string,
  stateDir: string,
  network: NetworkState,
  made: NodeState,
  owner: AccountPair,
): Promise<SessionKeys> {
  await startNodes(program, stateDir, network, [made], { methods: 'unsafe' })
  const keys = await withCleanUp(
    () => onLedger(made, (_, ask) => madeByNode(ask, owner)),
    () => stopNode(stateDir, made),
  )
  await startNodes(program, stateDir, network, [made])
  return keys
}

/** Waits until the change is final: the validators of before, a removed one among them, vote for the block of it. */
async function untilValidator(api: ApiPromise, account: string, isWanted: boolean): Promise<void> {
  const isInEffect = async () =>
    (await storedAccounts(await finalState(api), 'session', 'validators')).includes(account) === isWanted
  if (!(await waitUntil(isInEffect, { withinMs: IN_EFFECT_WITHIN_MS, everyMs: ASK_EVERY_MS })))
    throw new Refusal('The council agreed, and the change of validators has not taken effect.')
}
