import { Refusal } from '../../start/refusal.js'
import { multiaddressOf, type NodeState } from '../network-state.js'
import { runningProcess } from '../node-process.js'
import { nodeRpc } from '../node-rpc.js'
import type { Fault, Trial } from './fault.js'
import { fourOf, headsOf, relaunch, untilFinalGrows, validatorsOf } from './nodes.js'
import { until } from './waiting.js'

/** The blocks that the half of the product's node loses. */
const DEPTH = 6
/** The blocks by which the other half's chain is the longer one when they are joined. */
const LEAD = 3

export const halves: Fault = {
  name: 'halves',
  does: 'cuts two validators off from the two that the product uses, and joins the halves again',
  holds: `neither half makes blocks final, and the product's half gives up ${DEPTH} blocks or more`,
  async run(trial) {
    const { product } = trial
    const [first, second, third, fourth] = await fourOf(trial)
    await product.moveTo([first, second])
    await cutOff(trial, [third, fourth])
    const { best: fork } = await headsOf(first)
    const isDeep = async () => (await headsOf(first)).best >= fork + DEPTH
    await until(`the half of ${first.name} has ${DEPTH} blocks`, isDeep)
    const before = await chainOf(first, fork)
    // Two validators make blocks faster than one: the other chain becomes the longer one, and stays it.
    await heldUp(trial, second, async () => {
      await until(`the chain of ${third.name} is longer`, async () => (await lead(third, first)) >= LEAD)
      const { final } = await headsOf(first)
      if (final > fork) throw new Refusal(`Half of the validators made block ${final} final.`)
      await relaunch(trial, [third, fourth])
      await until(
        'the halves have one chain',
        async () => (await hashAt(first, fork + DEPTH)) === (await hashAt(third, fork + DEPTH)),
      )
    })
    await untilFinalGrows(first)
    const after = await chainOf(first, fork)
    const lost = [...before].filter(([height, hash]) => after.get(height) !== hash).length
    if (lost < DEPTH) throw new Refusal(`${first.name} gave up ${lost} blocks alone.`)
    await product.moveTo([first, second, third, fourth])
    return `${first.name} gave up ${lost} blocks`
  },
}

/** Starts nodes so that they speak with each other and with nobody else. */
async function cutOff(trial: Trial, nodes: readonly NodeState[]): Promise<void> {
  for (const node of nodes) {
    const others = nodes.filter((other) => other !== node).map(multiaddressOf)
    await relaunch(trial, [node], { args: ['--reserved-only', '--reserved-nodes', ...others] })
  }
}

/** Does some work while a node's process stands still. */
async function heldUp(trial: Trial, node: NodeState, work: () => Promise<void>): Promise<void> {
  const pid = await runningProcess((await validatorsOf(trial)).find(({ name }) => name === node.name) ?? node)
  if (pid === undefined) throw new Refusal(`${node.name} does not run.`)
  process.kill(pid, 'SIGSTOP')
  try {
    await work()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
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
