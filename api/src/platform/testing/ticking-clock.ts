import type { Clock } from '../process/clock.js'

/** The clock never gives the same moment twice, so that before and after can be told apart. */
export function tickingClock(): Clock {
  let last = 0
  return {
    now() {
      last = Math.max(Date.now(), last + 1)
      return new Date(last)
    },
  }
}
