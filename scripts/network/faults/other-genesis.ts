import { startNetwork } from '../run-network.js'
import { withTrialNetwork } from '../trial-network.js'
import type { Fault } from './fault.js'
import { untilFinalGrows, validatorsOf } from './nodes.js'
import { BEGUN_WITHIN_MS, RESTARTED_WITHIN_MS } from './waiting.js'

const SENTENCES = [
  /belongs to ledger 0x\w{64}, this one is 0x/,
  /The index belongs to ledger 0x\w{64}, and the node at/,
]

export const otherGenesis: Fault = {
  name: 'other-genesis',
  does: 'starts the product with a node of another network before the others',
  holds: 'signer and index say that its ledger is another one, and go on with the others',
  /** The product is started again with the other node, and again without it. */
  silentMs: RESTARTED_WITHIN_MS,
  async run(trial) {
    const { product, nodeProgram, tell } = trial
    await withTrialNetwork(tell, async (stateDir) => {
      const { nodes } = await startNetwork({ stateDir, nodeProgram, validators: 1, feeAccounts: [] })
      const ours = await validatorsOf(trial)
      const told = await product.told(SENTENCES, BEGUN_WITHIN_MS)
      await product.moveTo([...nodes, ...ours])
      await told()
      const [first] = ours
      if (first) await untilFinalGrows(first)
      await product.untilReady()
      await product.moveTo(ours)
    })
    return 'told by signer and index, who went on with the others'
  },
}
