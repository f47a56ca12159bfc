import { Refusal } from '../../start/refusal.js'
import { multiaddressOf, type NodeState } from '../network-state.js'
import { runningProcess } from '../node-process.js'
import { nodeRpc } from '../node-rpc.js'
import type { Fault, Trial } from './fault.js'
import { fourOf, headsOf, relaunch, untilFinalGrows, whileHalted } from './nodes.js'
import { BEGUN_WITHIN_MS, TOLD_WITHIN_MS, timeOfBlocks, until } from './waiting.js'

/** The blocks that the half of the product's node loses. */
const DEPTH = 6
/** The blocks by which the other half's chain is the longer one when they are joined. */
const LEAD = 3

export const halves: Fault = {
  name: 'halves',
  does: 'cuts two validators off from the two that the product uses, and joins the halves again',
  holds: `neither half makes blocks final, and the product's half and its index give up ${DEPTH} blocks or more`,
  mayBeAwayMs: timeOfBlocks(DEPTH, 2) + timeOfBlocks(LEAD, 1),
  async run(trial) {
    const { product } = trial
    const [first, second, third, fourth] = await fourOf(trial)
    await product.moveTo([first, second])
    await cutOff(trial, [third, fourth])
    const { best: fork } = await headsOf(first)
    const isDeep = async () => (await headsOf(first)).best >= fork + DEPTH
    await until(`the half of ${first.name} has ${DEPTH} blocks`, isDeep, TOLD_WITHIN_MS + timeOfBlocks(DEPTH, 2))
    await until(
      `the index has ${DEPTH} blocks of the half of ${first.name}`,
      async () => (await product.indexedAbove(fork)).size >= DEPTH,
      TOLD_WITHIN_MS,
    )
    const [before, indexed] = [await chainOf(first, fork), await product.indexedAbove(fork)]
    // Two validators make blocks faster than one: the other chain becomes the longer one, and stays it.
    await heldUp(trial, second, async () => {
      await until(
        `the chain of ${third.name} is longer`,
        async () => (await lead(third, first)) >= LEAD,
        TOLD_WITHIN_MS + timeOfBlocks(LEAD, 1),
      )
      await requireNoneFinal(fork, [first, third, fourth])
      await relaunch(trial, [third, fourth])
      await until(
        'the halves have one chain',
        async () => (await hashAt(first, fork + DEPTH)) === (await hashAt(third, fork + DEPTH)),
        BEGUN_WITHIN_MS,
      )
    })
    await untilFinalGrows(first)
    const after = await chainOf(first, fork)
    const lost = lostOf(before, after)
    if (lost < DEPTH) throw new Refusal(`${first.name} gave up ${lost} blocks alone.`)
    const takenBack = lostOf(indexed, after)
    if (takenBack < DEPTH) throw new Refusal(`Of the blocks that were given up the index had ${takenBack} alone.`)
    await until(
      'the index has the chain of the other half',
      async () => {
        const now = await product.indexedAbove(fork)
        return now.size >= indexed.size && lostOf(now, await chainOf(first, fork)) === 0
      },
      TOLD_WITHIN_MS,
    )
    await product.moveTo([first, second, third, fourth])
    return `${first.name} gave up ${lost} blocks, and the index the ${takenBack} of them that it had`
  },
}

/** Counts the blocks of a chain that another one does not have. */
const lostOf = (chain: ReadonlyMap<number, string>, other: ReadonlyMap<number, string>): number =>
  [...chain].filter(([height, hash]) => other.get(height) !== hash).length

/**
 * Refuses blocks that half of the validators made final: every final one is of before the fork, and the same on both
 * halves.
 */
async function requireNoneFinal(fork: number, nodes: readonly [NodeState, ...NodeState[]]): Promise<void> {
  for (const node of nodes) {
    const { final } = await headsOf(node)
    const isShared = (await hashAt(node, final)) === (await hashAt(nodes[0], final))
    if (final > fork || !isShared)
      throw new Refusal(`${node.name} made block ${final} final with half of the validators.`)
  }
}

/** Starts nodes so that they speak with each other and with nobody else. */
async function cutOff(trial: Trial, nodes: readonly NodeState[]): Promise<void> {
  for (const node of nodes) {
    const others = nodes.filter((other) => other !== node).map(multiaddressOf)
    await relaunch(trial, [node], { args: ['--reserved-only', '--reserved-nodes', ...others] })
  }
}

/** Does some work while a node's process stands still. */
async function heldUp({ stateDir }: Trial, node: NodeState, work: () => Promise<void>): Promise<void> {
  const pid = await runningProcess(stateDir, node)
  if (pid === undefined) throw new Refusal(`${node.name} does not run.`)
  await whileHalted(pid, 0, work)
}

const lead = async (node: NodeState, other: NodeState) => (await headsOf(node)).best - (await headsOf(other)).best
const hashAt = (node: NodeState, height: number) => nodeRpc(node).blockHash(height)

/** The hashes of a node's best chain above a height. */
async function chainOf(node: NodeState, height: number): Promise<Map<number, string>> {
  const { best } = await headsOf(node)
  const hashes = new Map<number, string>()
  for (let at = height + 1; at <= best; at += 1) hashes.set(at, await hashAt(node, at))
  return hashes
}
