import type { Fault } from './fault.js'
import { RESTARTED_WITHIN_MS, secondsOf } from './waiting.js'

const PROCESSES = ['signer', 'indexer', 'worker', 'api']

export const productKilled: Fault = {
  name: 'product-killed',
  does: 'kills each process of the product in turn',
  holds: 'it comes back and is ready',
  /** The service that answers is killed among the others. */
  silentMs: RESTARTED_WITHIN_MS,
  async run({ product }) {
    const told: string[] = []
    for (const name of PROCESSES) {
      const kill = async () => {
        await product.kill(name)
        await product.untilReady()
      }
      told.push(`${name} ${await secondsOf(kill)} s`)
    }
    return `ready again after the death of ${told.join(', ')}`
  },
}
