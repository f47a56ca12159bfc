import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NaiveLedger } from '../testing/naive-model.js'
import { BLOCKS, DIDS, history, REGISTRIES, SCHEMAS } from '../testing/random-history.js'
import { indexOfHistories, TIME } from '../testing/store-history.js'
import { authorizationAt } from './authorization.js'
import { registryIds, registrySchemaIds } from './queries.js'
import type { LedgerFilter } from './query-filter.js'
import { registrySchemasMetadata } from './schemas-metadata.js'

const RUNS = Number(process.env.HISTORY_RUNS ?? 12)

const opened = indexOfHistories()

const block = fc.integer({ min: 0, max: BLOCKS })
const dids = fc.option(fc.subarray(DIDS), { nil: undefined })
const filter: fc.Arbitrary<LedgerFilter> = fc
  .record({
    issuers: dids,
    verifiers: dids,
    issuersOrVerifiers: dids,
    schemaIds: fc.option(fc.subarray(SCHEMAS), { nil: undefined }),
  })
  .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))

test('authorisation is what the rules say, for everyone, at every block of any history', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.array(block, { minLength: 2, maxLength: 4 }), async (made, blocks) => {
      await opened().store(made)
      for (const at of blocks) {
        const naive = new NaiveLedger(made, at)
        for (const registryId of REGISTRIES)
          for (const schemaId of SCHEMAS)
            for (const did of DIDS)
              for (const role of ['issuer', 'verifier'] as const) {
                const question = { registryId, schemaId, did, role, at: { block: at, time: TIME } }
                const {
                  since,
                  block: _,
                  time,
                  explanation: _sentence,
                  ...answer
                } = await authorizationAt(opened().index, question)
                expect(answer, `${registryId} ${schemaId} ${did} ${role} at ${at}`).toEqual(
                  naive.authorization(registryId, schemaId, did, role),
                )
                if (role === 'issuer' && answer.reason === 'direct')
                  expect(since).toBe(timeOf(naive.directSince(registryId, schemaId, did)))
              }
      }
    }),
    { numRuns: RUNS },
  )
})

const timeOf = (height: number) => new Date(TIME.getTime() + height * 1000).toISOString()

test('queries find what matches a filter, at every block of any history, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(fc.tuple(filter, block), { minLength: 3, maxLength: 8 }),
      async (made, asked) => {
        await opened().store(made)
        for (const [wanted, at] of asked) {
          const naive = new NaiveLedger(made, at)
          const paging = { at: { block: at } }
          expect((await registryIds(opened().index, wanted, paging)).list).toEqual(naive.registryIds(wanted))
          for (const registry of REGISTRIES) {
            const found = naive.registrySchemaIds(registry, wanted)
            expect((await registrySchemaIds(opened().index, registry, wanted, paging)).list).toEqual(found)
            const metadata = await registrySchemasMetadata(opened().index, registry, wanted, paging)
            expect(metadata.list.map(({ id }) => id)).toEqual(found)
          }
        }
      },
    ),
    { numRuns: RUNS },
  )
})

test('a filter that names nothing matches nothing', async () => {
  const paging = { at: { block: BLOCKS } }
  for (const nothing of [{}, { issuers: [] }, { schemaIds: SCHEMAS, issuers: [] }])
    expect(await registryIds(opened().index, nothing, paging)).toEqual({ list: [], next: null })
})
