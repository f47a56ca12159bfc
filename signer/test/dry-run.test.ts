/** Tests dry runs, and actions that owners of keys sign themselves, on a real ledger. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { calls, type Did, didOf, hex32Of, hexOf } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tableContents } from '../../test/support/table-contents.js'
import type { Action } from '../src/client.js'
import { bytesOf } from '../src/wire.js'
import {
  act,
  didOfKeys,
  newDid,
  openSignerHere,
  openWorld,
  randomHex32,
  settled,
  type TestSigner,
  type World,
} from './support.js'

/** The time is longer than any test. */
const VALID_FOR_MS = 1_800_000

let world: World
let signer: TestSigner
beforeAll(async () => {
  world = await openWorld()
  signer = await openSignerHere(world)
})
afterAll(async () => {
  await signer.stop()
  await world.close()
})

const registry = (registryId = randomHex32(), name = 'Kenya') =>
  calls.trustRegistry.initOrUpdate({ registryId, name, govFramework: 'x' })
const suspension = () => calls.trustRegistry.suspendIssuers({ registryId: randomHex32(), dids: [nobody] })
const keyDid = (publicKey: Uint8Array): Did => didOf({ Key: { Ed25519: hex32Of(publicKey) } })
const nobody = keyDid(new Uint8Array(32).fill(7))

const contents = () => tableContents(world.sql, ['signer'])

test('a dry run returns changes and refusals, and leaves no row and no key behind', async () => {
  const { client } = signer
  const before = await contents()
  const keys = await client.throwaway.makeKeys('x', ['Ed25519', 'X25519', 'Bls12381G2'])
  const actor = didOfKeys(keys)
  const dispatches = [registry(), suspension(), registry()].map((call, index) => act(actor, index + 1, [call]))
  const outcomes = await client.dryRun([actor.creation, ...dispatches], [])
  expect(outcomes).toMatchObject([
    {
      changes: [
        { event: 'Did.Created', actor: actor.did, subject: actor.did },
        { event: 'Did.KeyAdded', after: { keyId: 1, kind: 'Ed25519', publicKey: keys[0]?.publicKey } },
        { event: 'Did.KeyAdded', after: { keyId: 2, kind: 'X25519' } },
        { event: 'Did.KeyAdded', after: { keyId: 3, kind: 'Bls12381G2' } },
      ],
    },
    { changes: [{ event: 'TrustRegistry.TrustRegistryInitialized', actor: actor.did, keyId: 1, subject: actor.did }] },
    { error: { pallet: 'TrustRegistry', name: 'NotFound', docs: expect.stringMatching(/\w+ \w+/) } },
    // The refusal freed this nonce.
    { changes: [{ event: 'TrustRegistry.TrustRegistryInitialized', actor: actor.did }] },
  ])
  expect(await contents()).toEqual(before)
  expect(await client.dryRun([act(actor, 1, [registry()])], [])).toMatchObject([{ error: { name: 'NotFound' } }])
})

test('a DID’s pending actions come before the tried ones', async () => {
  const { client } = signer
  const actor = await newDid(client)
  const registryId = randomHex32()
  const first = act(actor, 1, [registry(registryId)])
  const later = act(actor, 2, [registry(registryId, 'Uganda')])
  const updated = [{ changes: [{ event: 'TrustRegistry.TrustRegistryUpdated', before: { name: 'Kenya' } }] }]
  expect(await client.dryRun([later], [actor.creation, first])).toMatchObject(updated)
  await client.submitActions([actor.creation, first])
  expect(await client.dryRun([later], [])).toMatchObject(updated)
  await settled(client, [actor.creation.id, first.id])
  expect(await client.dryRun([later], [actor.creation, first])).toMatchObject(updated)
})

test('signatures of a dry run are not those of real keys', async () => {
  const { client } = signer
  const { keyRef } = await newDid(client)
  const requests = [{ keyRef, bytes: new Uint8Array(8) }]
  const [[real], [dry]] = await Promise.all([client.sign(requests), client.throwaway.sign(requests)])
  expect(dry).toHaveLength(64)
  expect(dry).not.toEqual(real)
})

interface Owner {
  did: Did
  key: KeyObject
}

function owner(): Owner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return { did: keyDid(new Uint8Array(raw)), key: privateKey }
}

/** Makes an action that an owner signed for its next nonce, in the place of a DID's sequence. */
async function authorised({ did, key }: Owner, sequence: number, call: Uint8Array) {
  const request = { did, keyId: 0, calls: [hexOf(call)] }
  const { payload, nonce, validUntil, refusal } = await signer.client.prepare({
    ...request,
    validForMs: VALID_FOR_MS,
    before: [],
  })
  const signature = hexOf(sign(null, bytesOf(payload), key))
  const id = `${did} ${sequence} ${nonce}`
  const action: Action = { ...request, id, sequence, kind: 'authorised', nonce, validUntil, signature }
  return { action, refusal }
}

test('an action signed by its owner reaches the ledger unchanged, also after a restart of the signer', async () => {
  const self = owner()
  const { action, refusal } = await authorised(self, 0, registry())
  expect(refusal).toBeUndefined()
  await signer.stop()
  signer = await openSignerHere(world)
  const { client } = signer
  expect(await client.dryRun([action], [])).toMatchObject([{ changes: [{ actor: self.did, keyId: 0 }] }])
  await client.submitActions([action])
  const next = await authorised(self, 1, registry())
  expect(next.action).toMatchObject({ nonce: 2 })
  const states = await settled(client, [action.id])
  expect(states.get(action.id)).toMatchObject({ state: 'final', outcome: { nonce: 1 } })
  await client.submitActions([next.action])
  expect((await settled(client, [next.action.id])).get(next.action.id)).toMatchObject({ state: 'final' })
})

test('a key of small order, with which anyone can sign, is given nothing to sign', async () => {
  for (const first of [0, 1]) {
    const did = keyDid(Uint8Array.of(first, ...new Uint8Array(31)))
    const wish = { did, keyId: 0, calls: [hexOf(registry())], validForMs: VALID_FOR_MS, before: [] }
    const { refusal } = await signer.client.prepare(wish)
    expect(refusal).toMatchObject({
      pallet: 'Did',
      name: 'WeakKey',
      docs: expect.stringMatching(/proves nothing/),
    })
  }
})

test('an owner’s signature for another nonce, another call or another time is refused, and never replaced', async () => {
  const { client } = signer
  const self = owner()
  const { action } = await authorised(self, 0, registry())
  const bad: [Action, string][] = [
    [{ ...action, calls: [hexOf(suspension())] }, 'BadSignature'],
    [{ ...action, nonce: 2 }, 'BadNonce'],
    [{ ...action, validUntil: Date.now() - 60_000 }, 'Expired'],
  ]
  for (const [changed, name] of bad) expect(await client.dryRun([changed], [])).toMatchObject([{ error: { name } }])
  await client.submitActions([
    { ...action, nonce: 2 },
    { ...action, id: 'again', sequence: 1 },
  ])
  const states = await settled(client, [action.id, 'again'])
  expect([states.get(action.id), states.get('again')]).toMatchObject([
    { state: 'refused', outcome: { error: { name: 'BadNonce' } } },
    { state: 'final', outcome: { nonce: 1 } },
  ])
})

test('a dry run gives up after 16 refusals, and says of which actions', async () => {
  const { client } = signer
  const actor = didOfKeys(await client.throwaway.makeKeys('x', ['Ed25519']))
  const refused = Array.from({ length: 17 }, (_, index) => act(actor, index + 1, [suspension()]))
  const outcomes = await client.dryRun([actor.creation, ...refused], [])
  const names = outcomes.map((outcome) => ('error' in outcome ? outcome.error.name : 'done'))
  expect([...new Set(names.slice(0, 17))]).toEqual(['done', 'NotFound'])
  expect(names.at(-1)).toBe('NotTried')
})

test('a dry run takes 500 actions', async () => {
  const { client } = signer
  const actor = didOfKeys(await client.throwaway.makeKeys('x', ['Ed25519']))
  const many = (length: number) =>
    Array.from({ length }, (_, index): Action => ({ ...act(actor, index, [new Uint8Array(1)]) }))
  expect(await client.dryRun(many(500), [])).toHaveLength(500)
  await expect(client.dryRun(many(501), [])).rejects.toMatchObject({ status: 400 })
})

test('a refusal that no signature could mend is told before there is one', async () => {
  const { client } = signer
  const request = { did: owner().did, calls: [hexOf(registry())], validForMs: VALID_FOR_MS, before: [] }
  const refusal = async (change: object) => (await client.prepare({ ...request, keyId: 0, ...change })).refusal?.name
  expect(await refusal({})).toBeUndefined()
  expect(await refusal({ calls: [hexOf(suspension())] })).toBe('NotFound')
  expect(await refusal({ keyId: 1 })).toBe('KeyNotFound')
  expect(await refusal({ did: 'did:svc:11111111111111111111111111111111' })).toBe('NotFound')
  expect(await refusal({ calls: ['0x000000'] })).toBe('CallNotAllowed')
  expect(await refusal({ calls: ['0xffff'] })).toBe('MalformedAction')
})

test('a refusal before the signature depends on the DID’s pending actions', async () => {
  const { client } = signer
  const self = owner()
  const registryId = randomHex32()
  const { action } = await authorised(self, 0, registry(registryId))
  const removal = {
    did: self.did,
    keyId: 0,
    validForMs: VALID_FOR_MS,
    calls: [hexOf(calls.trustRegistry.remove({ registryId }))],
  }
  expect(await client.prepare({ ...removal, before: [] })).toMatchObject({ nonce: 1, refusal: { name: 'NotFound' } })
  const told = await client.prepare({ ...removal, before: [action] })
  expect([told.nonce, told.refusal]).toEqual([2, undefined])
})
