import { Refusal } from '../../start/refusal.js'
import { runningProcess } from '../node-process.js'
import type { Fault } from './fault.js'
import { fourOf, headsOf, untilFinalGrows, validatorsOf, whileHalted } from './nodes.js'
import { accepted } from './requests.js'
import { RESTARTED_WITHIN_MS, secondsOf, until } from './waiting.js'

const STALLED_MS = 60_000
/** The blocks of the others that the product reads meanwhile. */
const BLOCKS = 3
/** The signer says it when it asks the next node. */
const SENTENCES = [/final block stands still at this node: the next one is asked/]

export const nodeStalled: Fault = {
  name: 'node-stalled',
  does: 'halts the process of the validator that the product asks first for a minute: it takes connections and answers nothing',
  holds: 'signer and index go on with the next one meanwhile, and the halted one takes part again',
  /** The product is started again before, so that it asks this node first. */
  silentMs: RESTARTED_WITHIN_MS,
  async run(trial) {
    const { product } = trial
    const [first, second] = await fourOf(trial)
    // Signer and index may have gone on to another node before.
    await product.moveTo(await validatorsOf(trial))
    const told = await product.told(SENTENCES, STALLED_MS)
    const pid = await runningProcess(trial.stateDir, first)
    if (pid === undefined) throw new Refusal(`${first.name} does not run.`)
    const moved = await whileHalted(pid, STALLED_MS, async () => {
      const { final } = await headsOf(second)
      const isRead = async () => {
        const { present } = await accepted<{ present: { block: number } }>(product, 'GET', '/ledger/status')
        return present.block >= final + BLOCKS
      }
      const [reading, signing] = await Promise.all([
        secondsOf(() => until('the index reads blocks of the others', isRead, STALLED_MS)),
        secondsOf(told),
      ])
      return `the index went on after ${reading} s, the signer after ${signing} s`
    })
    return `${moved}; ${first.name} had more final blocks ${await secondsOf(() => untilFinalGrows(first))} s after the halt`
  },
}
