import { mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '../../start/refusal.js'
import { keystoreFolder, type NodeState, nodeFolder } from '../network-state.js'
import type { Fault, Trial } from './fault.js'
import { bringBack, fourOf, relaunch, requireStandstill } from './nodes.js'
import { secondsOf, timeOfBlocks } from './waiting.js'

const BLOCKS = 100
/** The letters `gran`, by which a keystore tells that a key is for votes. */
const VOTES = /^6772616e/

export const finalityStalled: Fault = {
  name: 'finality-stalled',
  does: `takes the keys for votes from two of four validators for ${BLOCKS} blocks, which are made all the same`,
  holds: 'no block becomes final, the product says so once the final one is too old, and all is final afterwards',
  mayBeAwayMs: timeOfBlocks(BLOCKS),
  async run(trial) {
    const [first, , third, fourth] = await fourOf(trial)
    const voters = [third, fourth]
    await Promise.all(voters.map((node) => moveKeys(trial, node, 'keystore', 'votes')))
    await relaunch(trial, voters)
    const before = trial.freshness.unavailable
    await requireStandstill(first, BLOCKS)
    const refused = trial.freshness.unavailable - before
    if (refused === 0) throw new Refusal('The product never said that the ledger is not available.')
    if (trial.freshness.admitted === 0) throw new Refusal('No history said that it may be an old one.')
    await Promise.all(voters.map((node) => moveKeys(trial, node, 'votes', 'keystore')))
    return `${refused} questions refused meanwhile; a new block final on each after ${await secondsOf(() => bringBack(trial, voters))} s`
  },
}

/** Moves a node's keys for votes out of its keystore, or back. */
async function moveKeys({ stateDir }: Trial, node: NodeState, from: string, to: string): Promise<void> {
  const folder = (name: string) =>
    name === 'keystore' ? keystoreFolder(stateDir, node) : join(nodeFolder(stateDir, node), name)
  await mkdir(folder(to), { recursive: true, mode: 0o700 })
  const keys = (await readdir(folder(from))).filter((name) => VOTES.test(name))
  if (keys.length === 0) throw new Refusal(`${node.name} has no key for votes in ${folder(from)}.`)
  for (const key of keys) await rename(join(folder(from), key), join(folder(to), key))
}
