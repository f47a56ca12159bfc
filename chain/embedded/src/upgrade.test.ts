import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import { artifactCode } from './artifact.js'
import { randomKeys } from './keys.js'
import { openLedger } from './open-ledger.js'
import type { Hex } from './store.js'
import { FeePayer, randomPair } from './testing/fee-payer.js'
import { newerRuntime } from './testing/newer-runtime.js'

let scratch: ScratchDatabase
let newer: Hex

beforeAll(async () => {
  scratch = await scratchDatabase()
  newer = newerRuntime(await artifactCode())
})

afterAll(async () => {
  await scratch.drop()
})

test('a newer runtime becomes part of the same chain, once, and works; an older one is refused', async () => {
  const [keys, pair] = [randomKeys(), await randomPair()]
  const settings = { databaseUrl: scratch.url, keys, feeAccounts: [pair.address] }
  const before = await openLedger(settings)
  const { genesisHash } = before
  const { specVersion } = (await before.ledger.chain.runtimeAt(0)).version
  await before.close()

  const upgraded = await openLedger({ ...settings, code: newer })
  expect([upgraded.genesisHash, upgraded.upgradedFrom]).toEqual([genesisHash, specVersion])
  const payer = await FeePayer.on(upgraded.ledger, pair)
  expect(payer.api.runtimeVersion.specVersion.toNumber()).toBe(specVersion + 1)
  await upgraded.ledger.producer.produce()
  expect((await upgraded.ledger.chain.runtimeAt(0)).version.specVersion).toBe(specVersion)
  const height = upgraded.ledger.head.number
  await payer.close()
  await upgraded.close()

  const again = await openLedger({ ...settings, code: newer })
  expect([again.upgradedFrom, again.ledger.head.number]).toEqual([undefined, height])
  await again.close()
  await expect(openLedger(settings)).rejects.toThrow(`this software brings the older ${specVersion}`)
})
