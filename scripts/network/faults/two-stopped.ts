import type { Fault } from './fault.js'
import { bringBack, fourOf, requireStandstill, stopped } from './nodes.js'
import { secondsOf } from './waiting.js'

export const twoStopped: Fault = {
  name: 'two-stopped',
  does: 'stops two of four validators, and starts them again',
  holds: 'no block becomes final without two thirds of the validators, and all do afterwards',
  async run(trial) {
    const [first, second, third] = await fourOf(trial)
    await stopped(trial, [second, third])
    await requireStandstill(first, 4, 2)
    return `final stood and best grew; a new block final on each after ${await secondsOf(() => bringBack(trial, [second, third]))} s`
  },
}
