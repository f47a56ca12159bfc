import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { processorMeter } from '../../bench/processor-time.js'
import { codeOf } from '../../start/refusal.js'
import { type NodeState, nodeFolder } from '../network-state.js'
import { memoryOf, runningProcess } from '../node-process.js'
import type { Figure } from './figure.js'

/** The unit in which a file system counts what a file takes. */
const DISK_BLOCK_BYTES = 512
const MEGABYTE = 1e6

/**
 * Begins to measure what some nodes cost that run all the while; what it returns ends that, and tells the mean of all.
 *
 * @param what what the nodes are, and what they do meanwhile
 */
export async function nodeCost(stateDir: string, nodes: readonly NodeState[], what: string) {
  const pids = Object.fromEntries(
    await Promise.all(nodes.map(async (node) => [node.name, (await runningProcess(node)) ?? 0] as const)),
  )
  const folders = nodes.map((node) => join(nodeFolder(stateDir, node), 'data'))
  const [before, begun, used] = [await sizeOf(folders), performance.now(), processorMeter(() => pids)()]
  return async (): Promise<Figure[]> => {
    const seconds = (performance.now() - begun) / 1000
    const milliseconds = mean(Object.values(used(seconds)))
    const grown = ((await sizeOf(folders)) - before) / nodes.length / MEGABYTE
    const memory = mean(await Promise.all(Object.values(pids).map(async (pid) => (await memoryOf(pid)) ?? 0)))
    const an = (hours: number) => (grown / seconds) * 3600 * hours
    return [
      { what: `${what}: share of one core`, value: milliseconds / 10, unit: '%' },
      { what: `${what}: memory`, value: memory / MEGABYTE, unit: 'MB' },
      { what: `${what}: disk`, value: an(1), unit: 'MB an hour', note: `${an(24).toFixed(0)} MB a day` },
    ]
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the bytes that folders take on the disk. */
async function sizeOf(folders: readonly string[]): Promise<number> {
  const sizes = await Promise.all(folders.map(sizeOfFolder))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function sizeOfFolder(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const sizes = await Promise.all(names.map((name) => sizeOfFile(join(folder, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** A database removes files of its own all the time. */
async function sizeOfFile(path: string): Promise<number> {
  try {
    return (await lstat(path)).blocks * DISK_BLOCK_BYTES
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}
