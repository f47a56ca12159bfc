import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeBundle } from '../../../../chain/client/src/proof/make-bundle.js'
import type { Question } from '../../../../chain/client/src/proof/question.js'
import { justify, TestNetwork, validators } from '../../../../chain/client/src/proof/testing/test-network.js'
import { verifyProof } from '../../../../chain/client/src/proof/verify-proof.js'
import { stateAfter } from '../testing/history-state.js'
import { BLOCKS, DIDS, type History, history, REGISTRIES, SCHEMAS } from '../testing/random-history.js'
import { indexOfHistories, TIME } from '../testing/store-history.js'
import { authorizationAt } from './authorization.js'

const RUNS = Number(process.env.HISTORY_RUNS ?? 8)
const VALIDATORS = validators(1)

const opened = indexOfHistories()

/** Returns what proves answers about a block of a history: a network that has its state in a block of its own. */
function prover(made: History, at: number): (question: Question) => object {
  const network = new TestNetwork(VALIDATORS)
  const { genesis } = network
  const block = network.add(stateAfter(made, at))
  const parts = {
    genesisHash: genesis.hash,
    genesis: { header: genesis.header, nodes: genesis.nodes },
    handOvers: [],
    headers: [block.header],
    justification: justify(block, VALIDATORS),
    nodes: block.nodes,
  }
  return (question) => verifyProof(JSON.stringify(makeBundle(question, parts)), genesis.hash).answer
}

test('an authorization that is proved offline is that of the index, for everyone, at any block of any history', async () => {
  const reasons = new Set<string>()
  const block = fc.integer({ min: 0, max: BLOCKS })
  await fc.assert(
    fc.asyncProperty(history, block, async (made, at) => {
      await opened().store(made)
      const prove = prover(made, at)
      for (const registryId of REGISTRIES)
        for (const schemaId of SCHEMAS)
          for (const did of DIDS)
            for (const role of ['issuer', 'verifier'] as const) {
              const asked = { registryId, schemaId, did, role }
              const told = await authorizationAt(opened().index, { ...asked, at: { block: at, time: TIME } })
              const { prices: _, ...proved }: { prices?: object; reason?: string } = {
                ...prove({ kind: 'authorization', ...asked }),
              }
              const { authorized, reason, via } = told
              const expected = { kind: 'authorization', authorized, reason, ...(via !== undefined && { via }) }
              expect(proved, `${JSON.stringify(asked)} at ${at}`).toEqual(expected)
              reasons.add(reason)
            }
    }),
    { numRuns: RUNS },
  )
  expect(reasons.size).toBeGreaterThan(5)
})
