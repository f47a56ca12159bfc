import { execFile } from 'node:child_process'
import { appendFile, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { codeOf } from '../../start/refusal.js'
import { withCleanUp } from '../clean-up.js'
import { type NodeState, nodeFolder } from '../network-state.js'
import { runningProcess } from '../node-process.js'
import type { Fault, Trial } from './fault.js'
import { bringBack, fourOf, headsOf, stopped, untilFinalGrows } from './nodes.js'
import { secondsOf, TOLD_WITHIN_MS, timeOfBlocks, until } from './waiting.js'

const run = promisify(execFile)
/** The size of the disk: what the node writes in a day of trials, and a little more. */
const DISK_MB = 512
const MEGABYTE = 1024 * 1024
/** The final blocks that the others make while the disk is full. */
const BLOCKS = 8

export const fullDisk: Fault = {
  name: 'full-disk',
  does: 'fills the disk of the validator that the product asks first, and makes room again',
  holds: 'that one ends or stands still, the others go on, and it takes part again when there is room',
  lacks: async () => (process.getuid?.() === 0 ? undefined : 'only root mounts a small disk'),
  async run(trial) {
    const { tell } = trial
    const [first] = await fourOf(trial)
    const disk = join(nodeFolder(trial.stateDir, first), 'data')
    await stopped(trial, [first])
    const stop = () => stopped(trial, [first])
    const onDisk = async () => {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk])
      const filled = () => withCleanUp(() => filledAndEmptied(trial, disk), stop, tell)
      return withCleanUp(filled, () => run('umount', [disk]), tell)
    }
    return withCleanUp(onDisk, () => bringBack(trial, [first]), tell)
  },
}

/** Fills the disk of the first validator, and makes room again. Returns what it saw. */
async function filledAndEmptied(trial: Trial, disk: string): Promise<string> {
  const [first, second] = await fourOf(trial)
  await bringBack(trial, [first])
  const ballast = join(disk, 'ballast')
  await fill(disk, ballast)
  const fallen = await secondsOf(() =>
    until(
      `${first.name} ends or stands still`,
      () => isFallen(trial, first, second),
      TOLD_WITHIN_MS + timeOfBlocks(BEHIND),
    ),
  )
  await untilFinalGrows(second, BLOCKS)
  await rm(ballast)
  const back = await secondsOf(() => bringBack(trial, [first]))
  return `${first.name} fell ${fallen} s after the last byte, and was back ${back} s after there was room`
}

/** Writes until nothing more fits. */
async function fill(disk: string, ballast: string): Promise<void> {
  for (const piece of [Buffer.alloc(MEGABYTE), Buffer.alloc(4096)])
    for (;;) {
      const { bavail } = await statfs(disk)
      if (bavail === 0) return
      try {
        await appendFile(ballast, piece)
      } catch (error) {
        if (codeOf(error) !== 'ENOSPC') throw error
        break
      }
    }
}

/** The blocks by which a node that stands still falls behind. */
const BEHIND = 5

async function isFallen({ stateDir }: Trial, node: NodeState, other: NodeState): Promise<boolean> {
  if ((await runningProcess(stateDir, node)) === undefined) return true
  return (await headsOf(node)).final + BEHIND < (await headsOf(other)).final
}
