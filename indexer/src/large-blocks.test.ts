import { expect, test } from 'vitest'
import { randomKeys } from '../../chain/embedded/src/keys.js'
import { openLedger } from '../../chain/embedded/src/open-ledger.js'
import { emptyBlocks } from '../../chain/embedded/src/testing/empty-blocks.js'
import { FeePayer, randomPair } from '../../chain/embedded/src/testing/fee-payer.js'
import { scratchDatabase } from '../../test/support/scratch-database'
import { IndexProcess, projections } from './testing/index-process'

/** The bytes that the indexer takes in a message of the ledger, which tells them in hexadecimal. */
const LARGEST_MESSAGE = 24 * 1024 * 1024
/** The number of blocks that it asks for at once. */
const ASKED_TOGETHER = 10

test('an index gets ready although the newest blocks together hold more than a message', async () => {
  const database = await scratchDatabase()
  const pair = await randomPair()
  const options = { databaseUrl: database.url, keys: randomKeys(), feeAccounts: [pair.address] }
  const { ledger, url, close } = await openLedger(options)
  let index: IndexProcess | undefined
  try {
    const payer = await FeePayer.on(ledger, pair)
    await payer.submit(remark(LARGEST_MESSAGE / 2 / ASKED_TOGETHER))
    await payer.close()
    // Each block has the content of the first one: they are not executed, only read.
    for (const { block, changes } of emptyBlocks(ledger.head, await ledger.chain.runtimeAt(0), ASKED_TOGETHER)) {
      await ledger.chain.append(block, changes)
    }
    index = await IndexProcess.start(database.url, url)
    const { block: indexed } = await projections(database.url)
    expect(indexed?.length).toBe(ledger.head.number + 1)
  } finally {
    await index?.stop()
    await close()
    await database.drop()
  }
})

/** The call is 0, `remark`, of pallet 0, `System`: bytes after their compact length, which takes four bytes here. */
function remark(length: number) {
  const bytes = Buffer.alloc(6 + length)
  bytes.writeUInt32LE(length * 4 + 2, 2)
  return bytes
}
