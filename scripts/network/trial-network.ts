import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf, messageOf, Refusal } from '../start/refusal.js'
import { withCleanUp } from './clean-up.js'
import { readState } from './network-state.js'
import { stopNetwork } from './run-network.js'

/**
 * Does some work in a folder for the network of a trial, which is stopped and removed afterwards. Throws where that
 * cannot be done; after work that failed it tells so instead, since what failed there is what a person looks for.
 */
export async function withTrialNetwork<T>(
  tell: (line: string) => void,
  work: (stateDir: string) => Promise<T>,
): Promise<T> {
  const stateDir = await mkdtemp(join(tmpdir(), 'accredit-network-'))
  return withCleanUp(
    () => work(stateDir),
    () => removeNetwork(stateDir),
    tell,
  )
}

/** Stops a network and removes its folder. Where a node may still run it keeps the folder, by which nodes are found. */
async function removeNetwork(stateDir: string): Promise<void> {
  try {
    // A start that failed early has made none.
    if ((await readState(stateDir)) !== undefined) await stopNetwork(stateDir)
  } catch (error) {
    throw new Refusal(
      `The network in ${stateDir} could not be stopped: ${messageOf(error)} Its folder stays, by which npm run network -- stop --state ${stateDir} finds its nodes.`,
    )
  }
  await rm(stateDir, { recursive: true, force: true }).catch((error) => {
    throw new Refusal(
      `The nodes of the network in ${stateDir} have ended, and its folder cannot be removed: ${codeOf(error)}. A disk that is mounted there is unmounted first.`,
    )
  })
}
