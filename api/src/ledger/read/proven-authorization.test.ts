import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stateAfter } from '../testing/history-state.js'
import { proverOf } from '../testing/prover.js'
import { BLOCKS, DIDS, history, REGISTRIES, SCHEMAS } from '../testing/random-history.js'
import { indexOfHistories, TIME } from '../testing/store-history.js'
import { authorizationAt } from './authorization.js'

const RUNS = Number(process.env.HISTORY_RUNS ?? 8)

const opened = indexOfHistories()

test('an authorization that is proved offline is that of the index, for everyone, at any block of any history', async () => {
  const reasons = new Set<string>()
  const block = fc.integer({ min: 0, max: BLOCKS })
  await fc.assert(
    fc.asyncProperty(history, block, async (made, at) => {
      await opened().store(made)
      const prove = proverOf(stateAfter(made, at))
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
