import { readFile } from 'node:fs/promises'
import { Refusal } from '../start/refusal.js'
import { lock } from '../start/state/lock.js'
import { waitUntil } from '../start/wait-until.js'
import { allEnded, orTakeBack, withCleanUp } from './clean-up.js'
import { interruption } from './interruption.js'
import { makeNetwork, makeNode, type NewNetwork } from './make-network.js'
import {
  logFile,
  type NetworkState,
  type NodeState,
  readState,
  requireHere,
  requireState,
  saveState,
} from './network-state.js'
import { type Launch, liveProcess, requireNodeProgram, runningProcess, startNode, stopNodes } from './node-process.js'
import { nodeRpc } from './node-rpc.js'
import { statusOf } from './status.js'

const FINAL_WITHIN_MS = 120_000
const ASK_EVERY_MS = 100
const LAST_WORDS_LINES = 8

export interface Start extends NewNetwork {
  stateDir: string
  nodeProgram: string | undefined
}

/**
 * Makes the network where the folder is empty, starts the nodes that do not run, and waits until each of them knows a
 * block as final that was made since.
 */
export async function startNetwork(options: Start): Promise<NetworkState> {
  const { stateDir } = options
  const program = await requireNodeProgram(options.nodeProgram)
  return withLock(stateDir, async () => {
    const found = await readState(stateDir)
    if (found) requireHere(stateDir, found)
    const state = found ?? (await makeNetwork(stateDir, options))
    const stopped = await stoppedNodes(stateDir, state)
    if (found && stopped.length === 0) throw new Refusal(`The network in ${stateDir} runs already.`)
    await startNodes(program, stateDir, state, stopped)
    return state
  })
}

/** Adds a full node with the whole history, and waits until it has it: it follows the validators without a vote. */
export async function addNode(options: Pick<Start, 'stateDir' | 'nodeProgram'>): Promise<NodeState> {
  const { stateDir } = options
  await requireState(stateDir)
  const program = await requireNodeProgram(options.nodeProgram)
  return withLock(stateDir, async () => {
    const state = await requireState(stateDir)
    await requireRunning(stateDir, state)
    const number = 1 + state.nodes.filter(({ role }) => role === 'full').length
    const made = await makeNode(stateDir, `full-${number}`, 'full')
    const grown = { ...state, nodes: [...state.nodes, made] }
    await startNodes(program, stateDir, grown, [made])
    return made
  })
}

/** Starts nodes that stood still, as they were. */
export async function restartNodes(
  options: Pick<Start, 'stateDir' | 'nodeProgram'>,
  names: readonly string[],
): Promise<void> {
  const program = await requireNodeProgram(options.nodeProgram)
  return withLock(options.stateDir, async () => {
    const state = await requireState(options.stateDir)
    const wanted = state.nodes.filter(({ name }) => names.includes(name))
    await startNodes(program, options.stateDir, state, wanted)
  })
}

export async function stopNetwork(stateDir: string): Promise<number> {
  await requireState(stateDir)
  const unlock = await lock(stateDir)
  return withCleanUp(async () => {
    const { nodes } = await requireState(stateDir)
    const running = await Promise.all(nodes.map((node) => runningProcess(stateDir, node)))
    await stopNodes(stateDir, nodes)
    return running.filter((pid) => pid !== undefined).length
  }, unlock)
}

export async function networkStatus(stateDir: string) {
  const { nodes } = await requireState(stateDir)
  return Promise.all(nodes.map((node) => statusOf(stateDir, node)))
}

/**
 * Does some work that no other command on the same network runs beside, once the nodes are ended that a command which
 * broke off left open to what is for their operator alone.
 */
export async function withLock<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  const unlock = await lock(stateDir)
  return withCleanUp(async () => {
    const { nodes } = (await readState(stateDir)) ?? { nodes: [] }
    const live = await Promise.all(nodes.map((node) => liveProcess(stateDir, node)))
    await stopNodes(
      stateDir,
      nodes.filter((_, place) => live[place]?.isOpen),
    )
    return work()
  }, unlock)
}

/** Returns a node that runs. */
export async function requireRunning(stateDir: string, state: NetworkState): Promise<NodeState> {
  const stopped = await stoppedNodes(stateDir, state)
  const running = state.nodes.find((node) => !stopped.includes(node))
  if (running === undefined) throw new Refusal(`The network in ${stateDir} does not run: start it first.`)
  return running
}

/** Returns the nodes that do not run. */
async function stoppedNodes(stateDir: string, { nodes }: NetworkState): Promise<NodeState[]> {
  const running = await Promise.all(nodes.map((node) => runningProcess(stateDir, node)))
  return nodes.filter((_, index) => running[index] === undefined)
}

/** Starts nodes and waits until each knows a new block as final; none of them runs on where one does not come so far. */
export async function startNodes(
  program: string,
  stateDir: string,
  state: NetworkState,
  wanted: readonly NodeState[],
  launch?: Launch,
): Promise<void> {
  const begun = Date.now()
  await orTakeBack(
    async () => {
      await launchNodes(program, stateDir, state, wanted, launch)
      await Promise.all(wanted.map((node) => untilFinal(stateDir, state, node, begun)))
    },
    () => stopNodes(stateDir, wanted),
  )
}

/**
 * Starts nodes, and waits for nothing but that each has written itself down, or failed: whoever stops the network then
 * finds all that run. The state names them before.
 */
export async function launchNodes(
  program: string,
  stateDir: string,
  state: NetworkState,
  wanted: readonly NodeState[],
  launch?: Launch,
): Promise<void> {
  await saveState(stateDir, state)
  await allEnded(wanted.map((node) => startNode(program, stateDir, state, node, launch)))
}

/** Waits until a block that was made after `begun` is final at a node, and refuses a node of another network. */
async function untilFinal(stateDir: string, network: NetworkState, node: NodeState, begun: number): Promise<void> {
  const rpc = nodeRpc(node)
  const finalTime = () => rpc.finalHash().then((hash) => rpc.timeOf(hash))
  const isFinal = async () => {
    if (((await finalTime().catch(() => undefined)) ?? 0) >= begun) return true
    if ((await runningProcess(stateDir, node)) === undefined)
      throw new Refusal(`${node.name} has ended. Its last words:\n${await lastWords(stateDir, node)}`)
    return false
  }
  if (!(await waitUntil(isFinal, { withinMs: FINAL_WITHIN_MS, everyMs: ASK_EVERY_MS, signal: interruption })))
    throw new Refusal(`${node.name} has no new final block: see ${logFile(stateDir, node)}.`)
  if ((await rpc.blockHash(0)) !== network.genesisHash)
    throw new Refusal(`${node.name} is of another network: its genesis is not ${network.genesisHash}.`)
}

async function lastWords(stateDir: string, node: NodeState): Promise<string> {
  const text = await readFile(logFile(stateDir, node), 'utf8').catch(() => '')
  return text.trim().split('\n').slice(-LAST_WORDS_LINES).join('\n')
}
