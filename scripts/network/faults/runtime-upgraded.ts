import { resolve } from 'node:path'
import { upgradeNetwork } from '../upgrade.js'
import type { Fault } from './fault.js'
import { untilFinalGrows, validatorsOf } from './nodes.js'
import { secondsOf } from './waiting.js'

/** A runtime that comes after any release; the command runs in the project's folder. */
const NEXT_RUNTIME = resolve('chain/artifact/testing/next.wasm')

export const runtimeUpgraded: Fault = {
  name: 'runtime-upgraded',
  does: 'sets a newer runtime, for whose hash the council votes',
  holds: 'it runs, and blocks become final',
  async run(trial) {
    const upgrading = await secondsOf(() => upgradeNetwork(trial.stateDir, NEXT_RUNTIME))
    const [first] = await validatorsOf(trial)
    if (first) await untilFinalGrows(first)
    return `it runs after ${upgrading} s`
  },
}
