import { resolve } from 'node:path'
import { withSecondIndex } from '../../bench/second-index.js'
import { Refusal } from '../../start/refusal.js'
import type { Scene } from '../faults/fault.js'
import { NEXT_RUNTIME } from '../faults/runtime-upgraded.js'
import { unlessInterrupted } from '../interruption.js'
import type { NodeState } from '../network-state.js'
import { startNetwork } from '../run-network.js'
import { rpcUrlOf } from '../status.js'
import { withTrialNetwork } from '../trial-network.js'
import { upgradeNetwork } from '../upgrade.js'
import type { Figure } from './figure.js'

const ROUNDS = 5

interface Indexed {
  blocks: number
  seconds: number
}

/**
 * Measures how fast an index follows the whole chain from a full node. The chain of a trial is one batch of the indexer,
 * which takes less time than its start: so the start with a chain of a few blocks is taken away, which had an upgrade
 * of its runtime as well.
 */
export function catchUp({ product, nodeProgram, tell }: Scene, full: NodeState): Promise<Figure[]> {
  return withTrialNetwork(tell, async (stateDir) => {
    const { nodes } = await startNetwork({ stateDir, nodeProgram, validators: 1, feeAccounts: [] })
    await upgradeNetwork(stateDir, NEXT_RUNTIME)
    const [short] = nodes
    if (short === undefined) throw new Refusal('The short network has no node.')
    const [few, all]: [Indexed[], Indexed[]] = [[], []]
    for (let round = 0; round < ROUNDS; round += 1) {
      few.push(await indexed(product.databaseUrl, short))
      all.push(await indexed(product.databaseUrl, full))
    }
    return [rateOf(quickestOf(few), quickestOf(all))]
  })
}

/** Returns the quickest round: other work on the machine only adds to one. */
const quickestOf = (rounds: readonly Indexed[]): Indexed =>
  rounds.reduce((one, other) => (other.seconds < one.seconds ? other : one))

/** A difference of two starts that is shorter is less than what a busy machine blurs, and says nothing. */
const LEAST_SECONDS = 0.1

function rateOf(few: Indexed, all: Indexed): Figure {
  const told = ({ blocks, seconds }: Indexed) => `${blocks} blocks in ${seconds.toFixed(2)} s`
  const seconds = all.seconds - few.seconds
  return {
    what: 'blocks indexed from a full node',
    value: seconds < LEAST_SECONDS ? undefined : (all.blocks - few.blocks) / seconds,
    unit: 'blocks/s',
    wanted: { above: 800 },
    note: `${told(all)} with its start, ${told(few)}, the quickest of ${ROUNDS}`,
  }
}

/** Starts an indexer on an empty database, and returns what it had, and after which time, when it has all there is. */
function indexed(databaseUrl: string, node: NodeState): Promise<Indexed> {
  const begun = performance.now()
  const followed = { projectRoot: resolve('.'), databaseUrl, ledgerUrl: rpcUrlOf(node), finality: 'grandpa' } as const
  return withSecondIndex(followed, async ({ height }) => ({
    blocks: await unlessInterrupted(height),
    seconds: (performance.now() - begun) / 1000,
  }))
}
