import { type Did, didSvc, type Hex32, hex32Of, hexOf, parseDid } from '@accredit/chain'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedDid } from '../../dids/testing.js'
import { indexedDatabase, type TestIndex, testIndex } from '../../ledger/testing/test-index.js'
import { type ScratchDatabase, type TestTeam, testContext, testTeam } from '../../platform/testing/scratch-database.js'
import { type Counting, removalDispatches } from './removal.js'
import { startRemoval } from './start-removal.js'

const id = (byte: number): Hex32 => hex32Of(new Uint8Array(32).fill(byte))
const registry = id(0xfa)

let scratch: ScratchDatabase
let ledger: TestIndex
let team: TestTeam
beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(5)
  team = await testTeam(scratch.db)
})
afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

test('a removal is planned for what is listed, and for the worst where its convener signs it later', async () => {
  const convener = parseDid(await storedDid(scratch, team))
  if (convener === undefined) throw new TypeError('a DID was made')
  const elsewhere = didSvc(id(0xee))
  const issuers = Array.from({ length: 48 }, (_, n) => ({ did: didSvc(id(n)), schemas: 1, delegates: 0 }))
  const listed = [{ schema: id(1), issuers, verifiers: [] }]
  /** The calls that are sent, or that wait for a signature. */
  const started = async (by: Did) => {
    await ledger.clear()
    await ledger.row('trust_registry', {
      registry_id: registry,
      convener: by,
      pending_convener: null,
      name: 'Registry',
      gov_framework: '',
      version: 1,
      from_block: 1,
      to_block: null,
    })
    const ctx = testContext(scratch, team)
    const { rows } = await ctx.db.transaction(ctx.scope, async (tx) => {
      const job = await startRemoval(tx, ctx, { id: registry, convener: by }, listed)
      return sql<{ calls: string[] }>`
        select coalesce(action -> 'calls', action -> 'signs') as calls from service.ledger_actions
        where job_id = ${job.id} order by part`.execute(tx)
    })
    return rows.flatMap(({ calls }) => calls)
  }
  const callsFor = (counting: Counting) => removalDispatches(registry, listed, { counting }).map(hexOf)
  expect([callsFor('listed').length, callsFor('worst').length]).toEqual([2, 4])
  expect(await started(convener)).toEqual(callsFor('listed'))
  expect(await started(elsewhere)).toEqual(callsFor('worst'))
})
