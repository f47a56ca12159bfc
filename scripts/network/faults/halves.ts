import { Refusal } from '../../start/refusal.js'
import { multiaddressOf, type NodeState } from '../network-state.js'
import { runningProcess } from '../node-process.js'
import { nodeRpc } from '../node-rpc.js'
import type { Fault, Trial } from './fault.js'
import { bringBack, fourOf, headsOf, relaunch, untilFinalGrows, validatorsOf } from './nodes.js'
import { until } from './waiting.js'

/** The blocks that the half of the product's node loses. */
const DEPTH = 6

export const halves: Fault = {
  name: 'halves',
  does: 'cuts two validators off from the other two, and joins the halves again',
  holds: 'neither half makes blocks final, and the shorter chain, on which the product was, is given up',
  async run(trial) {
    const [first, second, third, fourth] = await fourOf(trial)
    await cutOff(trial, [third, fourth])
    const { best: fork } = await headsOf(first)
    const isDeep = async () => (await headsOf(first)).best >= fork + DEPTH
    await until(`the half of ${first.name} has ${DEPTH} blocks`, isDeep)
    await untilLonger(trial, third, [first, second])
    const [before, { final }] = [await chainOf(first, fork), await headsOf(first)]
    if (final > fork + 1) throw new Refusal(`Half of the validators made block ${final} final.`)
    await bringBack(trial, [third, fourth])
    await untilFinalGrows(first)
    const after = await chainOf(first, fork)
    const lost = [...before].filter(([height, hash]) => after.get(height) !== hash).length
    if (lost < DEPTH - 1) throw new Refusal(`${first.name} gave up ${lost} blocks: no re-org to speak of.`)
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

/** Waits until a node's chain is longer than that of the others, whose second node is held up as long as it is not. */
async function untilLonger(
  trial: Trial,
  node: NodeState,
  [first, second]: readonly [NodeState, NodeState],
): Promise<void> {
  const isLonger = async () => (await headsOf(node)).best > (await headsOf(first)).best
  const pid = await runningProcess((await validatorsOf(trial)).find(({ name }) => name === second.name) ?? second)
  if ((await isLonger()) || pid === undefined) return
  process.kill(pid, 'SIGSTOP')
  try {
    await until(`the chain of ${node.name} is the longer one`, isLonger)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/** The hashes of a node's best chain from a height on. */
async function chainOf(node: NodeState, from: number): Promise<Map<number, string>> {
  const rpc = nodeRpc(node)
  const { best } = await rpc.heads()
  const hashes = new Map<number, string>()
  for (let height = from; height <= best; height += 1) hashes.set(height, await rpc.blockHash(height))
  return hashes
}
