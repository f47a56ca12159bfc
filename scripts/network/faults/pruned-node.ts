import { withCleanUp } from '../clean-up.js'
import { makeNode } from '../make-network.js'
import { requireState, saveState } from '../network-state.js'
import { stopNode } from '../node-process.js'
import { withLock } from '../run-network.js'
import type { Fault, Trial } from './fault.js'
import { headsOf, relaunch, untilFinalGrows, validatorsOf } from './nodes.js'
import { BEGUN_WITHIN_MS, timeOfBlocks, until } from './waiting.js'

/** The final blocks that the node keeps, and those for which the product is away. */
const KEPT = 8
const AWAY = 24
const NAME = 'full-9'
const SENTENCES = [/block \d+, which the signer still reads/, /block \d+, which the index still reads/]

export const prunedNode: Fault = {
  name: 'pruned-node',
  does: `starts the product, which was away for ${AWAY} blocks, with a node before the others that keeps the last ${KEPT} alone`,
  holds: 'signer and index say that it has too little, and go on with the others',
  mayBeAwayMs: BEGUN_WITHIN_MS + timeOfBlocks(AWAY),
  async run(trial) {
    const { product } = trial
    const ours = await validatorsOf(trial)
    const [first] = ours
    const pruned = await addPruned(trial)
    const passed = async () => {
      const told = await product.told(SENTENCES, BEGUN_WITHIN_MS)
      await product.stop()
      if (first) await untilFinalGrows(first, AWAY)
      await until(
        'the pruned node has come as far',
        async () => {
          const [own, others] = [await headsOf(pruned), first && (await headsOf(first))]
          return own.final + 2 >= (others?.final ?? Number.POSITIVE_INFINITY)
        },
        BEGUN_WITHIN_MS,
      )
      await product.startAgain([pruned, ...ours])
      await told()
      await product.untilReady()
      await product.moveTo(ours)
    }
    await withCleanUp(passed, () => remove(trial), trial.tell)
    return 'told by signer and index, who went on with the others'
  },
}

async function addPruned(trial: Trial) {
  const made = await makeNode(trial.stateDir, NAME, 'full')
  await withLock(trial.stateDir, async () => {
    const state = await requireState(trial.stateDir)
    await saveState(trial.stateDir, { ...state, nodes: [...state.nodes, made] })
  })
  await relaunch(trial, [made], { keptBlocks: KEPT })
  return made
}

function remove({ stateDir }: Trial): Promise<void> {
  return withLock(stateDir, async () => {
    const state = await requireState(stateDir)
    for (const node of state.nodes.filter(({ name }) => name === NAME)) await stopNode(stateDir, node)
    await saveState(stateDir, { ...state, nodes: state.nodes.filter(({ name }) => name !== NAME) })
  })
}
