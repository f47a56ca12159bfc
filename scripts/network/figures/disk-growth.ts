import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '../../start/refusal.js'
import type { Scene } from '../faults/fault.js'
import { bringBack, headsOf } from '../faults/nodes.js'
import { type NodeState, nodeFolder, requireState } from '../network-state.js'
import type { Figure } from './figure.js'

const KILOBYTE = 1e3
const MEGABYTE = 1e6
/** Blocks of three seconds. */
const BLOCKS_AN_HOUR = 1_200
const BLOCKS_A_DAY = 24 * BLOCKS_AN_HOUR

/**
 * Begins to measure how much a node's database grows; what it returns ends that. The node is started again for either:
 * until then its log holds each value as often as it was written, which is ten times as much as what stays.
 *
 * @param what what the node is, and what it does meanwhile
 */
export async function diskGrowth(place: Pick<Scene, 'stateDir' | 'nodeProgram'>, name: string, what: string) {
  const before = await settled(place, name)
  return async (): Promise<Figure[]> => {
    const after = await settled(place, name)
    const blocks = after.height - before.height
    const aBlock = (after.bytes - before.bytes) / blocks
    const an = (count: number) => ((aBlock * count) / MEGABYTE).toFixed(1)
    const note = `${an(BLOCKS_AN_HOUR)} MB an hour, ${an(BLOCKS_A_DAY)} MB a day, from ${blocks} blocks`
    return [{ what: `${what}: disk`, value: aBlock / KILOBYTE, unit: 'kB a block', note }]
  }
}

interface Size {
  bytes: number
  height: number
}

async function settled(place: Pick<Scene, 'stateDir' | 'nodeProgram'>, name: string): Promise<Size> {
  const node = (await requireState(place.stateDir)).nodes.find((one) => one.name === name)
  if (node === undefined) throw new Refusal(`There is no node ${name}.`)
  await bringBack(place, [node])
  return { bytes: await sizeOf(place.stateDir, node), height: (await headsOf(node)).best }
}

/** The files in which the database keeps blocks and states; what it says about itself is in others. */
const KEPT = /\.(?:sst|log)$/

async function sizeOf(stateDir: string, node: NodeState): Promise<number> {
  const folder = join(nodeFolder(stateDir, node), 'data')
  const names = (await readdir(folder, { recursive: true })).filter((name) => KEPT.test(name))
  const sizes = await Promise.all(names.map(async (name) => (await lstat(join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
