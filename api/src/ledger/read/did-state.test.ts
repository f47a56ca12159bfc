import { didSvc, hex32Of } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ScratchDatabase } from '../../platform/testing/scratch-database.js'
import { hashOf, indexedDatabase, type TestIndex, testIndex } from '../testing/test-index.js'
import { resolveAt } from './at.js'
import { controllersAt, didStateAt, keyHistory } from './did-state.js'

const did = didSvc(hex32Of(new Uint8Array(32).fill(1)))
const controller = didSvc(hex32Of(new Uint8Array(32).fill(2)))
const clock = { now: () => new Date('2026-01-01T00:01:00Z') }
const LAST = 5
const PUBLIC_KEY = hex32Of(new Uint8Array(32).fill(3))

let scratch: ScratchDatabase
let ledger: TestIndex

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch, clock)
  await ledger.blocks(LAST)
  await write()
})
afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

/** @param revoked the block that revoked the key and took the controller away */
async function write(revoked: number | null = null) {
  await ledger.clear()
  await ledger.row('did', { did, submitter: 'somebody', from_block: 1, to_block: null })
  await ledger.row('did_key', {
    did,
    key_id: 1,
    kind: 'Ed25519',
    public_key: PUBLIC_KEY,
    relationships: 2,
    from_block: 1,
    to_block: revoked,
    end_reason: revoked === null ? null : 'revoked',
  })
  await ledger.row('did_controller', { did, controller, from_block: 1, to_block: revoked })
}

const at = (requested?: string) => resolveAt(ledger.index, requested, clock)
const key = async (requested?: string) => keyHistory(ledger.index, did, 1, await at(requested))
const controllers = async (requested?: string) => controllersAt(ledger.index, did, await at(requested))
const state = async (requested?: string) => didStateAt(ledger.index, did, await at(requested))

test('states, keys and controllers are asked for once while a block is the newest', async () => {
  const first = [await state(), await key(), await controllers()]
  const second = [await state(), await key(), await controllers()]
  expect(first).toMatchObject([
    { versionId: '1', controllers: [controller], keys: [{ id: 1 }] },
    { keyId: 1, endReason: null },
    [controller],
  ])
  for (const [i, answer] of second.entries()) expect(answer).toBe(first[i])
})

test('a key that was revoked in the next block is revoked from then on, at every point that is asked about', async () => {
  expect([await key(), await key('3')]).toMatchObject([{ endReason: null }, { endReason: null }])
  await ledger.block(LAST + 1, new Date('2026-01-01T00:00:06Z'))
  await write(LAST + 1)
  expect(await state()).toMatchObject({ versionId: String(LAST + 1), keys: [], controllers: [] })
  expect([await key(), await key('3')]).toMatchObject([{ endReason: 'revoked' }, { endReason: 'revoked' }])
  expect([await controllers(), await controllers(String(LAST))]).toEqual([[], [controller]])
})

test('the next change of a state of the past is told as soon as it is made', async () => {
  const before = await state(String(LAST))
  await ledger.block(LAST + 2, new Date('2026-01-01T00:00:08Z'))
  await ledger.row('did_service', {
    did,
    service_id: 'website',
    type: 'LinkedDomains',
    endpoints: ['https://example.com'],
    from_block: LAST + 2,
    to_block: null,
  })
  expect([before?.nextVersionId, (await state(String(LAST + 1)))?.nextVersionId]).toEqual([
    String(LAST + 1),
    String(LAST + 2),
  ])
})

test('on a network the life of a key is told up to the newest final block', async () => {
  await ledger.finality({ height: LAST, rule: 'grandpa' })
  for (const point of [undefined, '3']) expect(await key(point)).toMatchObject({ end: null, endReason: null })
  await ledger.finality({ height: LAST + 1, rule: 'grandpa' })
  for (const point of [undefined, '3'])
    expect(await key(point)).toMatchObject({ end: { block: LAST + 1 }, endReason: 'revoked' })
  await ledger.finality({ height: LAST + 1 })
})

test('the answer of another fork is not taken for the one of this block', async () => {
  const before = { ...(await at()), hash: hashOf(1006) }
  await write(2)
  expect(await keyHistory(ledger.index, did, 1, before)).toMatchObject({ endReason: 'revoked' })
  expect(await didStateAt(ledger.index, did, before)).toMatchObject({ keys: [] })
  await ledger.replaceBlock(LAST + 1, hashOf(1006))
  await write()
  expect([
    await didStateAt(ledger.index, did, before),
    await keyHistory(ledger.index, did, 1, before),
    await controllersAt(ledger.index, did, before),
  ]).toMatchObject([{ keys: [{ id: 1 }] }, { endReason: null }, [controller]])
})
