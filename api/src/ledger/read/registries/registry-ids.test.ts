import { didSvc, hex32Of } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ScratchDatabase } from '../../../platform/testing/scratch-database.js'
import { indexedDatabase, type TestIndex, testIndex } from '../../testing/test-index.js'
import { presentConvener, wasRegistry } from './registry-ids.js'

const id = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
const [registry, young] = [id(1), id(2)]
const [first, second] = [didSvc(id(3)), didSvc(id(4))]
const LAST = 5

let scratch: ScratchDatabase
let ledger: TestIndex

/** The newest block hands one registry to another convener, and makes a second one. */
beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(LAST)
  const facts = { pending_convener: null, name: 'R', gov_framework: 'g', version: 1 }
  const row = (registry_id: string, convener: string, from_block: number, to_block: number | null) =>
    ledger.row('trust_registry', { ...facts, registry_id, convener, from_block, to_block })
  await row(registry, first, 2, LAST)
  await row(registry, second, LAST, null)
  await row(young, first, LAST, null)
})
afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

test('a registry and a convener of the newest block are there where it is final, and on a network not before', async () => {
  const told = async () => [
    await presentConvener(ledger.index, registry),
    await presentConvener(ledger.index, young),
    await wasRegistry(ledger.index, young),
  ]
  expect(await told()).toEqual([second, first, true])
  await ledger.finality({ height: LAST - 1, rule: 'grandpa' })
  expect(await told()).toEqual([first, undefined, false])
  await ledger.finality({ height: LAST, rule: 'grandpa' })
  expect(await told()).toEqual([second, first, true])
})
