import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '../../start/refusal.js'
import { logFile, type NodeState } from '../network-state.js'
import type { Fault, Trial } from './fault.js'
import { bringBack, fourOf, relaunch, untilFinalGrows } from './nodes.js'
import { RESTARTED_WITHIN_MS, secondsOf } from './waiting.js'

/** The blocks that are to become final at the others meanwhile: half a minute. */
const BLOCKS = 12
/** The place of the library of Debian's package `faketime`, below the folder of the machine's architecture. */
const LIBRARIES = '/usr/lib'
const LIBRARY = 'faketime/libfaketimeMT.so.1'

export const clockOff: Fault = {
  name: 'clock-off',
  does: 'gives a validator a clock that is five minutes fast, and then slow, and starts the product with it before the others',
  holds: 'the others go on making blocks final, and the validator takes part again with the right time',
  /** The product is started again with each of the two clocks. */
  silentMs: RESTARTED_WITHIN_MS,
  lacks: async () =>
    (await library()) === undefined ? `${LIBRARY} of Debian's package faketime is not below ${LIBRARIES}` : undefined,
  async run(trial) {
    const [first, second, ...others] = await fourOf(trial)
    const path = (await library()) ?? ''
    const told: string[] = []
    for (const minutes of [5, -5]) {
      const offset = `${minutes > 0 ? '+' : ''}${minutes}m`
      // Only the time of day is moved, not the clock by which a program waits.
      const env = { LD_PRELOAD: path, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' }
      await relaunch(trial, [first], { env })
      await trial.product.moveTo([first, second, ...others])
      told.push(
        `${offset}: ${BLOCKS} blocks final at another one after ${await secondsOf(() => untilFinalGrows(second, BLOCKS))} s`,
      )
      await requireClock(trial, first, minutes)
      told.push(`back after ${await secondsOf(() => bringBack(trial, [first]))} s`)
    }
    return told.join(', ')
  },
}

/** The seconds by which the newest line of a log may be old, and more. */
const TOLERANCE_SECONDS = 60
/** The time of day with which a node begins each line of its log. */
const STAMP = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/gm

/** Looks in the log of a node whether its clock was off: it could have begun without the library. */
async function requireClock({ stateDir }: Trial, node: NodeState, minutes: number): Promise<void> {
  const [stamp] = [...(await readFile(logFile(stateDir, node), 'utf8')).matchAll(STAMP)].at(-1) ?? []
  const offSeconds = (new Date(stamp ?? '').getTime() - Date.now()) / 1000
  if (!(Math.abs(offSeconds - minutes * 60) <= TOLERANCE_SECONDS))
    throw new Refusal(`The clock of ${node.name} was not ${minutes} minutes off: its log ends at ${stamp}.`)
}

async function library(): Promise<string | undefined> {
  const folders = await readdir(LIBRARIES).catch(() => [])
  return folders.map((folder) => join(LIBRARIES, folder, LIBRARY)).find((path) => existsSync(path))
}
