import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doubleVote } from '../scripts/network/faults/double-vote.js'
import { Faults } from '../scripts/network/faults/faults.js'
import { halves } from '../scripts/network/faults/halves.js'
import { otherGenesis } from '../scripts/network/faults/other-genesis.js'
import { prunedNode } from '../scripts/network/faults/pruned-node.js'
import { runtimeUpgraded } from '../scripts/network/faults/runtime-upgraded.js'
import { validatorsChanged } from '../scripts/network/faults/validators-changed.js'
import { startNetwork, stopNetwork } from '../scripts/network/run-network.js'

/** The program is built in half an hour, and `npm test` never builds it: scripts/build-node does. */
const nodeProgram = process.env.ACCREDIT_NODE || undefined
const PATIENCE_MS = 900_000

/** `npm run network -- test` has all faults, which take half an hour. */
describe.runIf(nodeProgram)('the product on a network of four validators', () => {
  let stateDir: string
  let trial: Faults

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'accredit-network-'))
    await startNetwork({ stateDir, nodeProgram, validators: 4, feeAccounts: [] })
    trial = await Faults.on({ stateDir, nodeProgram, tell: console.log })
  }, PATIENCE_MS)
  afterAll(async () => {
    await trial?.close()
    await stopNetwork(stateDir).catch(() => {})
    await rm(stateDir, { recursive: true })
  })

  // The last three change the network for good.
  it.each([halves, otherGenesis, prunedNode, validatorsChanged, runtimeUpgraded, doubleVote])(
    'loses nothing, doubles nothing and gives no stale answer under the fault $name',
    async (fault) => {
      // It throws where something does not hold.
      expect(await trial.happens(fault)).toMatchObject({ hasRun: true })
    },
    PATIENCE_MS,
  )
})
