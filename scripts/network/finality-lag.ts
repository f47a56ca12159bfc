import { pause } from './interruption.js'
import type { NodeState } from './network-state.js'
import { nodeRpc } from './node-rpc.js'

const ASK_EVERY_MS = 25

/**
 * Watches one node until `count` more blocks are final. Returns for each, in milliseconds, how long after its arrival
 * it was final there; in the order of the blocks.
 */
export async function finalityLags(node: NodeState, count: number): Promise<number[]> {
  const rpc = nodeRpc(node)
  const arrivals = new Map<number, number>()
  let { best: lastBest, final: lastFinal } = await rpc.heads()
  const lags: number[] = []
  while (lags.length < count) {
    await pause(ASK_EVERY_MS)
    const { best, final } = await rpc.heads()
    const now = performance.now()
    for (let height = lastBest + 1; height <= best; height += 1) arrivals.set(height, now)
    for (let height = lastFinal + 1; height <= final; height += 1) {
      const arrival = arrivals.get(height)
      if (arrival !== undefined) lags.push(now - arrival)
    }
    lastBest = Math.max(lastBest, best)
    lastFinal = Math.max(lastFinal, final)
  }
  return lags.slice(0, count)
}
