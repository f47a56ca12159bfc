import { chainTypes, didToHex, hex32Of, parseHex32 } from '@accredit/chain'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../test/support/scratch-database'
import { handlers } from './events'
import { calls, TestChain } from './testing/chain'
import { IndexProcess } from './testing/index-process'

let database: ScratchDatabase
let chain: TestChain
let indexer: IndexProcess
let client: pg.Client

beforeAll(async () => {
  database = await scratchDatabase()
  chain = await TestChain.open(database.url)
  indexer = await IndexProcess.start(database.url, chain.url)
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})

afterAll(async () => {
  await client?.end()
  await indexer?.stop()
  await chain?.close()
  await database?.drop()
})

const id = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
const rows = async (statement: string, ...values: unknown[]) => (await client.query(statement, values)).rows

test('an idle ledger has a present: its genesis', async () => {
  const [newest] = await rows('SELECT height, hash FROM ledger.block ORDER BY height DESC LIMIT 1')
  expect(await rows('SELECT id, height, hash, behind_since FROM ledger.finality')).toEqual([
    { id: 'final', ...newest, behind_since: null },
  ])
})

test('an event has its block, its actor and the account that paid', async () => {
  const convener = await chain.createDid()
  const made = calls.trustRegistry.initOrUpdate({
    registryId: id(1),
    name: 'Universities',
    govFramework: 'https://x/1',
  })
  const block = await chain.act(convener, made)
  await indexer.reaches(block)
  const events = await rows('SELECT * FROM ledger.event WHERE block = $1 ORDER BY index', block)
  const act = { actor: convener.did, key_id: 1, nonce: 1, submitter: chain.payerAddress }
  expect(events).toMatchObject([
    { ...act, name: 'Did.Dispatched', subject: convener.did, trust_registry_id: null },
    {
      ...act,
      name: 'TrustRegistry.TrustRegistryInitialized',
      trust_registry_id: id(1),
      after: { convener: convener.did, name: 'Universities', govFramework: 'https://x/1' },
    },
  ])
  const [own] = await rows('SELECT hash, time FROM ledger.block WHERE height = $1', block)
  expect(events[0].time).toEqual(own.time)
  expect(events[0].extrinsic_hash).toMatch(/^0x[0-9a-f]{64}$/)
})

test('a new DID is its own actor, and its keys, controllers and services are there from its block', async () => {
  const parent = await chain.createDid()
  const services = [{ id: 'didcomm', type: 'DIDCommMessaging', endpoints: ['https://a', 'https://b'] }]
  const { did, born } = await chain.createDid({ controllers: [parent.did], services })
  await indexer.reaches(born)
  const [event] = await rows(`SELECT * FROM ledger.event WHERE name = 'Did.Created' AND subject = $1`, did)
  expect(event).toMatchObject({ actor: did, key_id: null, nonce: null, submitter: chain.payerAddress })
  const from = { from_block: event.block, to_block: null }
  expect(await rows('SELECT * FROM ledger.did WHERE did = $1', did)).toMatchObject([from])
  expect(await rows('SELECT * FROM ledger.did_key WHERE did = $1', did)).toMatchObject([
    { ...from, key_id: 1, kind: 'Ed25519', relationships: 7, end_reason: null },
  ])
  expect(await rows('SELECT * FROM ledger.did_controller WHERE did = $1', did)).toMatchObject([
    { ...from, controller: parent.did },
  ])
  expect(await rows('SELECT * FROM ledger.did_service WHERE did = $1', did)).toMatchObject([
    { ...from, service_id: 'didcomm', type: 'DIDCommMessaging', endpoints: ['https://a', 'https://b'] },
  ])
})

test('a key replaced in the block that added it has a row, and can be revoked later', async () => {
  const owner = await chain.createDid()
  const did = parseHex32(didToHex(owner.did) ?? '')
  if (did === undefined) throw new TypeError('a DID of the ledger has 32 bytes')
  const agreement = (byte: number) => ({ key: { kind: 'X25519' as const, publicKey: id(byte) }, relationships: 0 })
  const added = calls.did.addKeys({ did, keys: [agreement(8)] })
  const block = await chain.act(owner, added, calls.did.rotateKey({ did, old: 2, new: agreement(9) }))
  await indexer.reaches(block)
  const keyRow = () => rows('SELECT * FROM ledger.did_key WHERE did = $1 AND key_id = 2', owner.did)
  const brief = { public_key: id(8), from_block: block, to_block: block }
  expect(await keyRow()).toMatchObject([{ ...brief, end_reason: 'retired' }])
  await indexer.reaches(await chain.act(owner, calls.did.revokeKeys({ did, keys: [2] })))
  expect(await keyRow()).toMatchObject([{ ...brief, end_reason: 'revoked' }])
})

/** Events of the council's pallets that this runtime never deposits: a motion costs nothing. */
const NEVER = ['Council.ProposalCostBurned', 'Council.ProposalCostReleased', 'CouncilMembers.Dummy']

test('every event of the three pallets and of the council has a handler, and nothing else has', () => {
  const { metadata, lookup } = chainTypes().registry
  const wanted = ['Did', 'TrustRegistry', 'Revocation', 'Governance', 'Council', 'CouncilMembers']
  const ours = metadata.pallets.filter(({ name }) => wanted.includes(name.toString()))
  const names = ours.flatMap(({ name, events }) =>
    lookup.getSiType(events.unwrap().type).def.asVariant.variants.map((event) => `${name}.${event.name}`),
  )
  expect(handlers.map((handler) => handler.name).sort()).toEqual(names.filter((name) => !NEVER.includes(name)).sort())
})
