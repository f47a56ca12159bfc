import { runtimeAllowed, runtimeOfFile, runtimeVersion } from '../council/proposals.js'
import { bringRuntime } from '../council/upgrade.js'
import { councilOf, decide, onLedger } from './council.js'
import { requireState } from './network-state.js'
import { requireRunning, withLock } from './run-network.js'

export interface Upgrade {
  from: number
  to: number
  /** The hash that the council voted on. */
  codeHash: string
}

/** Upgrades the runtime: the council votes on the hash of a file, then one account brings the file. */
export async function upgradeNetwork(stateDir: string, file: string): Promise<Upgrade> {
  const runtime = await runtimeOfFile(file)
  return withLock(stateDir, async () => {
    const running = await requireRunning(stateDir, await requireState(stateDir))
    return onLedger(running, async (api) => {
      const from = await runtimeVersion(api)
      const call = await runtimeAllowed(api, runtime)
      const council = await councilOf(api, stateDir)
      await decide(api, council, call)
      await bringRuntime(api, council.present[0], runtime)
      return { from, to: runtime.version, codeHash: runtime.hash }
    })
  })
}
