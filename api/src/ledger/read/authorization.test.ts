import { didSvc, hex32Of } from '@accredit/chain'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ScratchDatabase } from '../../platform/testing/scratch-database.js'
import { hashOf, indexedDatabase, type TestIndex, testIndex } from '../testing/test-index.js'
import { resolveAt } from './at.js'
import { authorizationAt } from './authorization.js'

const id = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
const did = didSvc(id(1))
const [registryId, schemaId] = [id(2), id(3)]
const clock = { now: () => new Date('2026-01-01T00:01:00Z') }
const LAST = 5
const forever = { to_block: null }

let scratch: ScratchDatabase
let ledger: TestIndex

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(LAST)
})

afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

beforeEach(async () => {
  await ledger.clear()
  const facts = {
    convener: did,
    pending_convener: null,
    name: 'Universities',
    gov_framework: 'https://x#1',
    version: 1,
  }
  await ledger.row('trust_registry', { registry_id: registryId, ...facts, from_block: 0, ...forever })
  const schema = { registry_id: registryId, schema_id: schemaId }
  await ledger.row('registry_schema', { ...schema, is_public: false, from_block: 0, ...forever })
  await ledger.row('issuer', { ...schema, did, prices: {}, from_block: 1, ...forever })
})

const ask = async (requested?: string) =>
  authorizationAt(ledger.index, {
    registryId,
    schemaId,
    did,
    role: 'issuer',
    at: await resolveAt(ledger.index, requested, clock),
  })

const suspend = (from_block: number) =>
  ledger.row('suspension', { registry_id: registryId, did, from_block, ...forever })

test('an answer about a block is kept, by its hash', async () => {
  const newest = String(LAST)
  await ledger.replaceBlock(LAST, hashOf(6005))
  const asked = await ask(newest)
  expect(asked).toMatchObject({ authorized: true, block: LAST })
  expect(await ask(newest)).toBe(asked)
  await ledger.replaceBlock(LAST, hashOf(7005))
  expect(await ask(newest)).not.toBe(asked)
})

test('the block of another fork has an answer of its own, also at the same height', async () => {
  await ledger.replaceBlock(LAST, hashOf(1005))
  expect(await ask()).toMatchObject({ authorized: true, block: LAST })
  await ledger.replaceBlock(LAST, hashOf(2005))
  await suspend(LAST)
  for (const requested of [undefined, String(LAST)])
    expect(await ask(requested)).toMatchObject({ authorized: false, reason: 'suspended', block: LAST })
  await ledger.clear()
  await ledger.replaceBlock(LAST, hashOf(1005))
  expect(await ask(), 'the first fork is back').toMatchObject({ authorized: true })
})

test('the present is told anew with each block', async () => {
  await ledger.replaceBlock(LAST, hashOf(3005))
  expect(await ask()).toMatchObject({ authorized: true, block: LAST })
  await ledger.block(LAST + 1, new Date('2026-01-01T00:00:06Z'))
  await suspend(LAST + 1)
  expect(await ask()).toMatchObject({ authorized: false, reason: 'suspended', block: LAST + 1 })
  expect(await ask(String(LAST))).toMatchObject({ authorized: true, block: LAST })
})

test('an answer is not kept when another block took the place of the one that was asked about', async () => {
  const question = { registryId, schemaId, did, role: 'issuer' } as const
  const at = { ...(await resolveAt(ledger.index, '3', clock)), hash: hashOf(1003) }
  expect(await authorizationAt(ledger.index, { ...question, at })).toMatchObject({ authorized: true })
  await ledger.replaceBlock(3, hashOf(1003))
  await suspend(3)
  expect(await authorizationAt(ledger.index, { ...question, at })).toMatchObject({ reason: 'suspended' })
})
