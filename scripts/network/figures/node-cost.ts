import { processorMeter } from '../../bench/processor-time.js'
import type { NodeState } from '../network-state.js'
import { memoryOf, runningProcess } from '../node-process.js'
import type { Figure } from './figure.js'

const MEGABYTE = 1e6

/**
 * Begins to measure what some nodes cost that run all the while; what it returns ends that, and tells the mean of all.
 *
 * @param what what the nodes are, and what they do meanwhile
 */
export async function nodeCost(
  stateDir: string,
  nodes: readonly NodeState[],
  what: string,
): Promise<() => Promise<Figure[]>> {
  const pids = Object.fromEntries(
    await Promise.all(nodes.map(async (node) => [node.name, (await runningProcess(stateDir, node)) ?? 0] as const)),
  )
  const [begun, used] = [performance.now(), processorMeter(() => pids)()]
  return async () => {
    const milliseconds = mean(Object.values(used((performance.now() - begun) / 1000)))
    const memory = mean(await Promise.all(Object.values(pids).map(async (pid) => (await memoryOf(pid)) ?? 0)))
    return [
      { what: `${what}: share of one core`, value: milliseconds / 10, unit: '%' },
      { what: `${what}: memory`, value: memory / MEGABYTE, unit: 'MB' },
    ]
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
