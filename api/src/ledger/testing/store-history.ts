import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { BLOCKS, chainOrder, DIDS, type History, type Interval } from './random-history.js'
import { indexedDatabase, type TestIndex, testIndex } from './test-index.js'

/** The time of the first block of every history. */
export const TIME = new Date('2026-01-01T00:00:00Z')

/** An index for all tests of a file that has the blocks of histories, and tells the one that was stored last. */
export const indexOfHistories = () =>
  forAllTests(async () => {
    const scratch = await indexedDatabase()
    const ledger = await testIndex(scratch)
    await ledger.blocks(BLOCKS, { start: TIME })
    return {
      index: ledger.index,
      store: (made: History) => storeHistory(ledger, made),
      close: () => ledger.close().then(scratch.close),
    }
  })

/** Writes a history into an index, in place of what it told before. */
async function storeHistory(ledger: TestIndex, made: History): Promise<void> {
  await ledger.clear()
  for (const row of made.registries)
    await ledger.row('trust_registry', {
      ...times(row),
      registry_id: row.registry,
      convener: DIDS[0] ?? '',
      pending_convener: null,
      name: 'Any',
      gov_framework: '',
      version: 0,
    })
  for (const row of made.schemas)
    await ledger.row('registry_schema', { ...times(row), ...placed(row), is_public: row.open })
  for (const row of made.issuers)
    await ledger.row('issuer', { ...times(row), ...placed(row), did: row.did, prices: {} })
  for (const row of made.verifiers) await ledger.row('verifier', { ...times(row), ...placed(row), did: row.did })
  for (const row of made.suspensions)
    await ledger.row('suspension', { ...times(row), registry_id: row.registry, did: row.did })
  for (const row of made.delegations) {
    const { registry: registry_id, issuer, delegate } = row
    await ledger.row('delegation', { ...times(row), registry_id, issuer, issuer_order: chainOrder(issuer), delegate })
  }
  for (const row of made.dids) await ledger.row('did', { ...times(row), did: row.did, submitter: '' })
}

const times = ({ from, to }: Interval) => ({ from_block: from, to_block: to })

const placed = ({ registry, schema }: { registry: string; schema: string }) => ({
  registry_id: registry,
  schema_id: schema,
})
