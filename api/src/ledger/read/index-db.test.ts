import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ScratchDatabase } from '../../platform/testing/scratch-database.js'
import { indexedDatabase, type TestIndex, testIndex } from '../testing/test-index.js'

let scratch: ScratchDatabase
let ledger: TestIndex
beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(3)
})
afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

test('a connection that ends while it reads the index fails its own read only', async () => {
  const ended = sql`select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)`.execute(ledger.index.db)
  await expect(ended).rejects.toThrow()
  await expect.poll(() => ledger.index.head().catch(() => undefined)).toMatchObject({ block: 3 })
})
