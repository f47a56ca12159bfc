import { Refusal } from '../../start/refusal.js'
import { pause } from '../interruption.js'
import { type NodeState, requireState } from '../network-state.js'
import { type Launch, requireNodeProgram, sendSignal, stopNodes } from '../node-process.js'
import { nodeRpc } from '../node-rpc.js'
import { launchNodes, restartNodes, withLock } from '../run-network.js'
import type { Scene } from './fault.js'
import { TOLD_WITHIN_MS, timeOfBlocks, until } from './waiting.js'

type Place = Pick<Scene, 'stateDir' | 'nodeProgram'>

/** Returns the validators as they are now, the first of which the product asks first. */
export async function validatorsOf({ stateDir }: Place): Promise<NodeState[]> {
  return (await requireState(stateDir)).nodes.filter(({ role }) => role === 'validator')
}

/** Returns the first four validators: the least that bears a fault. */
export async function fourOf(trial: Place): Promise<[NodeState, NodeState, NodeState, NodeState]> {
  const [first, second, third, fourth] = await validatorsOf(trial)
  if (!first || !second || !third || !fourth) throw new Refusal('The network has fewer than four validators.')
  return [first, second, third, fourth]
}

/** Stops nodes and starts them in another way, and waits for nothing. */
export async function relaunch(trial: Place, nodes: readonly NodeState[], launch: Launch = {}): Promise<void> {
  const program = await requireNodeProgram(trial.nodeProgram)
  await stopped(trial, nodes)
  await withLock(trial.stateDir, async () => {
    const state = await requireState(trial.stateDir)
    await launchNodes(program, trial.stateDir, state, state.nodes.filter(isOneOf(nodes)), launch)
  })
}

/** Starts nodes as they usually are, after a stop, and waits until each knows a new block as final. */
export async function bringBack(trial: Place, nodes: readonly NodeState[]): Promise<void> {
  await stopped(trial, nodes)
  await restartNodes(
    trial,
    nodes.map(({ name }) => name),
  )
}

/** Stops nodes, in whatever process they are now. */
export const stopped = ({ stateDir }: Place, nodes: readonly NodeState[], signal?: NodeJS.Signals) =>
  stopNodes(stateDir, nodes, signal)

/** Halts a process while some work is done, and for so long at least. */
export async function whileHalted<T>(pid: number, atLeastMs: number, work: () => Promise<T>): Promise<T> {
  const end = Date.now() + atLeastMs
  process.kill(pid, 'SIGSTOP')
  try {
    const done = await work()
    await pause(Math.max(0, end - Date.now()))
    return done
  } finally {
    // A process that ended meanwhile needs no signal, and hides nothing of what the work threw.
    sendSignal(pid, 'SIGCONT')
  }
}

const isOneOf = (nodes: readonly NodeState[]) => (node: NodeState) => nodes.some(({ name }) => name === node.name)

export const headsOf = (node: NodeState) => nodeRpc(node).heads()

/** Waits until more blocks are final at a node. */
export async function untilFinalGrows(node: NodeState, by = 3): Promise<void> {
  let final: number | undefined
  await until(
    `${by} more blocks are final at ${node.name}`,
    async () => {
      final ??= (await headsOf(node)).final
      return (await headsOf(node)).final >= final + by
    },
    TOLD_WITHIN_MS + timeOfBlocks(by),
  )
}

/**
 * Watches while the best block grows by some; what was voted for before may still become final.
 *
 * @param makers the validators that still make blocks
 */
export async function requireStandstill(node: NodeState, blocks: number, makers?: number): Promise<void> {
  const before = await headsOf(node)
  let now = before
  const isFurther = async () => {
    now = await headsOf(node)
    return now.best >= before.best + blocks
  }
  await until(`${node.name} has ${blocks} more blocks`, isFurther, TOLD_WITHIN_MS + timeOfBlocks(blocks, makers))
  if (now.final > before.best) throw new Refusal('Blocks became final without two thirds of the validators.')
}
