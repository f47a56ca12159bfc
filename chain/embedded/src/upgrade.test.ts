import { readFile } from 'node:fs/promises'
import { calls, type Did, decodeEvents, type EncodedCall, schemaId, viewFunctions } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import { type KeyPair, type LedgerKeys, randomKeys } from './keys.js'
import { type OpenLedger, openLedger } from './open-ledger.js'
import { type Hex, hexOf } from './store/store.js'
import { Actor } from './testing/actor.js'
import { ask } from './testing/ask.js'
import { FeePayer, randomPair } from './testing/fee-payer.js'
import { upgradeRuntime } from './upgrade.js'

/** The runtime comes after the artifact, and writes the names of registries in capitals. */
const NEXT = new URL('../../artifact/testing/next.wasm', import.meta.url)

const views = viewFunctions()
const registryId = schemaId('a registry')
const schema = schemaId('https://example.org/degree')

let scratch: ScratchDatabase
let keys: LedgerKeys
let pair: KeyPair
let next: Hex
let opened: OpenLedger
let payer: FeePayer
/** The last block of the runtime before. */
let old: { readonly hash: Hex; readonly number: number; readonly specVersion: number; readonly metadata: Hex }
let convener: Actor
let issuer: Did
/** The extrinsic was signed before, and submitted to nobody yet. */
let authorised: EncodedCall
let extrinsic: Hex

beforeAll(async () => {
  ;[scratch, pair, next] = [await scratchDatabase(), await randomPair(), hexOf(await readFile(NEXT))]
  keys = randomKeys()
  await open()
  const { chain } = opened.ledger
  convener = new Actor(payer.place)
  const other = new Actor(payer.place)
  issuer = other.did
  for (const actor of [convener, other]) await payer.submit(actor.create())
  const listed = { Ensure: { issuers: { Modify: new Map([[issuer, { Set: new Map([['USD', 5n]]) }]]) } } }
  const update = { Modify: new Map([[schema, listed]]) }
  await payer.submit(
    convener.act([
      calls.trustRegistry.initOrUpdate({ registryId, name: 'universities', govFramework: 'https://example.org' }),
      calls.trustRegistry.setSchemasMetadata({ registryId, update }),
    ]),
  )
  const { version, metadata } = await chain.runtimeAt(chain.head.number)
  old = { hash: chain.head.hash, number: chain.head.number, specVersion: version.specVersion, metadata }
  authorised = convener.act([calls.trustRegistry.suspendIssuers({ registryId, dids: [issuer] })])
  extrinsic = await payer.sign(authorised)
  await close()
  await open(next)
})

afterAll(async () => {
  await close()
  await scratch.drop()
})

test('a newer runtime becomes part of the same chain and changes its storage, before anyone can ask', async () => {
  const { ledger, upgradedFrom, genesisHash } = opened
  expect(upgradedFrom).toBe(old.specVersion)
  expect(genesisHash).toBe(payer.api.genesisHash.toHex())
  expect(ledger.head.number).toBe(old.number + 2)
  expect(await nameAt()).toBe('UNIVERSITIES')
  const events = await (await payer.api.at(ledger.head.hash)).query.system?.events?.()
  const changed = decodeEvents(events?.toU8a() ?? '0x00').filter(({ name }) => name === 'TrustRegistryUpdated')
  expect(changed).toMatchObject([{ data: { registryId, oldName: 'universities', newName: 'UNIVERSITIES' } }])
})

test('blocks of before answer with the runtime, the metadata and the state of their time', async () => {
  const { ledger } = opened
  const [before, now] = [await ledger.chain.blockAt(old.number), ledger.head]
  expect(before?.hash).toBe(old.hash)
  const send = (method: string, hash: Hex | undefined) => ledger.provider().send(method, [hash])
  expect(await send('state_getMetadata', before?.hash)).toBe(old.metadata)
  expect(await send('state_getMetadata', now.hash)).not.toBe(old.metadata)
  expect(await send('state_getRuntimeVersion', before?.hash)).toMatchObject({ specVersion: old.specVersion })
  expect(await send('state_getRuntimeVersion', now.hash)).toMatchObject({ specVersion: 1_000_000 })
  expect((await payer.api.at(old.hash)).runtimeVersion.specVersion.toNumber()).toBe(old.specVersion)
  expect(await nameAt(old.hash)).toBe('universities')
  for (const hash of [old.hash, now.hash]) {
    const question = { registryId, schemaId: schema, did: issuer, role: 'issuer' } as const
    expect(await ask(ledger, views.authorized(question), hash)).toMatchObject({ authorized: true })
  }
})

test('an authorisation from before an upgrade counts after it, in an extrinsic of the newer runtime; so does one from then', async () => {
  const { ledger } = opened
  await expect(ledger.producer.submit(extrinsic).included).rejects.toMatchObject({
    data: 'Transaction has a bad signature',
  })
  await payer.submit(authorised)
  const question = { registryId, schemaId: schema, did: issuer, role: 'issuer' } as const
  expect(await ask(ledger, views.authorized(question))).toMatchObject({ authorized: false, reason: 'suspended' })
  await payer.submit(convener.act([calls.trustRegistry.unsuspendIssuers({ registryId, dids: [issuer] })]))
  expect(await ask(ledger, views.authorized(question))).toMatchObject({ authorized: true })
  await payer.submit(new Actor(payer.place).create())
})

test('an upgrade that was cut short after it set the runtime ends at the next start', async () => {
  const cut = await opened.ledger.fork({ at: old.number + 1 })
  const question = views.registriesInfo({ schemaIds: [schema] })
  expect((await ask(cut, question)).list).toMatchObject([{ name: 'universities' }])
  expect(await upgradeRuntime(cut, next, keys.sudo)).toBeUndefined()
  expect(cut.head.number).toBe(old.number + 2)
  expect((await ask(cut, question)).list).toMatchObject([{ name: 'UNIVERSITIES' }])
  await cut.close()
})

test('software with an older runtime refuses to start on the chain; with the same, it sets none', async () => {
  const { number } = opened.ledger.head
  await close()
  await expect(open()).rejects.toThrow(
    `the chain has runtime 1000000, this software brings the older ${old.specVersion}: start a newer version of it`,
  )
  await open(next)
  expect([opened.upgradedFrom, opened.ledger.head.number]).toEqual([undefined, number])
})

async function open(code?: Hex): Promise<void> {
  const settings = { databaseUrl: scratch.url, keys, feeAccounts: [pair.address] }
  opened = await openLedger(code ? { ...settings, code } : settings)
  payer = await FeePayer.on(opened.ledger, pair)
}

async function close(): Promise<void> {
  await payer.close()
  await opened.close()
}

async function nameAt(block?: Hex): Promise<string | undefined> {
  const { list } = await ask(opened.ledger, views.registriesInfo({ schemaIds: [schema] }), block)
  return list[0]?.name
}
