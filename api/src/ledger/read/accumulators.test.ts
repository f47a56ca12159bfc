import { hex32Of } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ScratchDatabase } from '../../platform/testing/scratch-database.js'
import { indexedDatabase, type TestIndex, testIndex } from '../testing/test-index.js'
import { wasValueSince } from './accumulators.js'

const START = Date.parse('2026-01-01T00:00:00Z')
const [registryId, other] = [1, 2].map((byte) => hex32Of(new Uint8Array(32).fill(byte)))

let scratch: ScratchDatabase
let ledger: TestIndex

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  // A block a second: block 20 is 20 s after the start.
  await ledger.blocks(100, { start: new Date(START) })
  const values: [string | undefined, string, number, number | null][] = [
    [registryId, '0xaa', 10, 40],
    [registryId, '0xbb', 40, 60],
    [registryId, '0xcc', 60, null],
    [other, '0xdd', 10, null],
  ]
  for (const [version, [id = '', accumulated, from_block, to_block]] of values.entries())
    await ledger.row('revocation_registry', {
      ...{ registry_id: id, policy: [], creator: 'did:example:issuer', add_only: false, kind: 'Accumulator' },
      ...{ length: null, public_key: '0x00', version, accumulated, from_block, to_block },
    })
})
afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

const current = (accumulated: string, sinceBlock: number, block = 100): Promise<boolean> =>
  wasValueSince(ledger.index, { registryId: registryId ?? '', accumulated }, new Date(START + sinceBlock * 1000), {
    block,
  })

test('a value counts that was current at the time that is asked for, or later', async () => {
  expect(await current('0xaa', 39)).toBe(true)
  expect(await current('0xaa', 39.999)).toBe(true)
  expect(await current('0xaa', 40)).toBe(false)
  expect(await current('0xbb', 40)).toBe(true)
  expect(await current('0xbb', 60)).toBe(false)
  expect(await current('0xcc', 60)).toBe(true)
  expect(await current('0xcc', 100)).toBe(true)
})

test('before the registry there was none of older values, and before the first block all of them count', async () => {
  expect(await current('0xaa', 5)).toBe(true)
  expect(await current('0xaa', -5)).toBe(true)
})

test('neither a value of another registry counts, nor one of later than the point that is looked at', async () => {
  expect(await current('0xdd', 0)).toBe(false)
  expect(await current('0xcc', 0, 59)).toBe(false)
  expect(await current('0xbb', 30, 59)).toBe(true)
})
