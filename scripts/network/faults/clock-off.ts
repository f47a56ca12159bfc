import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fault } from './fault.js'
import { bringBack, fourOf, relaunch, untilFinalGrows } from './nodes.js'
import { secondsOf } from './waiting.js'

/** The blocks that are to become final at the others meanwhile: half a minute. */
const BLOCKS = 12
/** The place of the library of Debian's package `faketime`, below the folder of the machine's architecture. */
const LIBRARIES = '/usr/lib'
const LIBRARY = 'faketime/libfaketimeMT.so.1'

export const clockOff: Fault = {
  name: 'clock-off',
  does: 'gives a validator a clock that is five minutes fast, and then slow, and starts the product with it before the others',
  holds: 'the others go on making blocks final, and the validator takes part again with the right time',
  lacks: async () =>
    (await library()) === undefined ? `${LIBRARY} of Debian's package faketime is not below ${LIBRARIES}` : undefined,
  async run(trial) {
    const [first, second, ...others] = await fourOf(trial)
    const path = (await library()) ?? ''
    const told: string[] = []
    for (const offset of ['+5m', '-5m']) {
      // Only the time of day is moved, not the clock by which a program waits.
      const env = { LD_PRELOAD: path, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' }
      await relaunch(trial, [first], { env })
      await trial.product.moveTo([first, second, ...others])
      told.push(
        `${offset}: ${BLOCKS} blocks final at another one after ${await secondsOf(() => untilFinalGrows(second, BLOCKS))} s`,
      )
      told.push(`back after ${await secondsOf(() => bringBack(trial, [first]))} s`)
    }
    return told.join(', ')
  },
}

async function library(): Promise<string | undefined> {
  const folders = await readdir(LIBRARIES).catch(() => [])
  return folders.map((folder) => join(LIBRARIES, folder, LIBRARY)).find((path) => existsSync(path))
}
