import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ScratchDatabase } from '../../platform/testing/scratch-database.js'
import { NaiveLedger } from '../testing/naive-model.js'
import { BLOCKS, DIDS, history, REGISTRIES, SCHEMAS } from '../testing/random-history.js'
import { storeHistory } from '../testing/store-history.js'
import { indexedDatabase, type TestIndex, testIndex } from '../testing/test-index.js'
import { authorizationAt } from './authorization.js'
import { registryIds, registrySchemaIds } from './queries.js'
import type { LedgerFilter } from './query-filter.js'
import { registrySchemasMetadata } from './schemas-metadata.js'

const RUNS = Number(process.env.HISTORY_RUNS ?? 12)
const TIME = new Date('2026-01-01T00:00:00Z')

let scratch: ScratchDatabase
let ledger: TestIndex

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(BLOCKS, { start: TIME })
})

afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

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
      await storeHistory(ledger, made)
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
                } = await authorizationAt(ledger.index, question)
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
        await storeHistory(ledger, made)
        for (const [wanted, at] of asked) {
          const naive = new NaiveLedger(made, at)
          const paging = { at: { block: at } }
          expect((await registryIds(ledger.index, wanted, paging)).list).toEqual(naive.registryIds(wanted))
          for (const registry of REGISTRIES) {
            const found = naive.registrySchemaIds(registry, wanted)
            expect((await registrySchemaIds(ledger.index, registry, wanted, paging)).list).toEqual(found)
            const metadata = await registrySchemasMetadata(ledger.index, registry, wanted, paging)
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
    expect(await registryIds(ledger.index, nothing, paging)).toEqual({ list: [], next: null })
})
