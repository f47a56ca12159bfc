import { randomBytes } from 'node:crypto'
import { decodeBase58, encodeBase58, hexOf, KEY_LENGTHS } from '@accredit/chain'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../formats/json.js'
import { encryptWallet } from './universal-wallet.js'
import { keyDocument, readContents, WalletError } from './wallet-content.js'
import { openWallets, WrongPassword, walletOpener } from './wallet-documents.js'
import { passwordToKey } from './wallet-key.js'

const TYPES = {
  Ed25519: 'Ed25519VerificationKey2018',
  X25519: 'X25519KeyAgreementKey2019',
  BabyJubJub: 'BJJVerificationKey2021',
  Bls12381G2: 'Bls12381BBSVerificationKeyDock2023',
  Secp256k1: 'EcdsaSecp256k1VerificationKey2019',
  Sr25519: 'Sr25519VerificationKey2020',
} as const
const CODECS = {
  Ed25519: [0xed, 1],
  X25519: [0xec, 1],
  Bls12381G2: [0xeb, 1],
  Secp256k1: [0xe7, 1],
  Sr25519: [0xef, 1],
}
const did = 'did:svc:4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi'

const multibase = (codec: readonly number[], bytes: Uint8Array): string =>
  `z${encodeBase58(Uint8Array.from([...codec, ...bytes]))}`

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const pair = fc
  .constantFrom(...(Object.keys(TYPES) as (keyof typeof TYPES)[]))
  .chain((kind) => fc.record({ kind: fc.constant(kind), publicKey: bytes(KEY_LENGTHS[kind]), privateKey: bytes(32) }))
type Pair = { kind: keyof typeof TYPES; publicKey: Uint8Array; privateKey: Uint8Array }

function printed({ kind, publicKey, privateKey }: Pair, fragment = 'keys-1'): JsonObject {
  const codec = kind === 'BabyJubJub' ? undefined : CODECS[kind]
  const method = { id: `${did}#${fragment}`, type: TYPES[kind], controller: did }
  const named = codec === undefined ? method : { ...method, publicKeyMultibase: multibase(codec, publicKey) }
  return keyDocument(named, { kind, publicKey: hexOf(publicKey) }, hexOf(privateKey))
}
const secretOf = ({ kind, publicKey, privateKey }: Pair) => ({
  kind,
  publicKey: hexOf(publicKey),
  privateKey: hexOf(privateKey),
  controller: did,
})
const resolution: JsonObject = { type: 'DIDResolutionResponse', didDocument: { id: did }, didDocumentMetadata: {} }
const none = walletOpener(undefined)

test('a printed wallet is read again, whichever of its members a wallet keeps', async () => {
  const forms = [
    [],
    ['privateKeyBase58'],
    ['privateKeyMultibase'],
    ['publicKeyBase58'],
    ['publicKeyMultibase'],
    ['publicKeyBase58', 'privateKeyBase58'],
    ['publicKeyMultibase', 'privateKeyMultibase'],
  ]
  await fc.assert(
    fc.asyncProperty(pair, fc.constantFrom(...forms), async (one, left) => {
      const document = printed(one)
      const isAllThatIsThere = one.kind === 'BabyJubJub' && left.length > 0
      if (!isAllThatIsThere) for (const member of left) Reflect.deleteProperty(document, member)
      expect(readContents([document]).secrets).toEqual([secretOf(one)])
    }),
    { numRuns: 300 },
  )
})

test('wallets are read in every form of packing, and ids of keys mean nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { minLength: 1, maxLength: 5 }), async (pairs) => {
      const keys = pairs.map((one, index) => printed(one, `key-${index + 1}`))
      const wallet = { type: 'UniversalWallet2020', contents: [resolution, ...keys] }
      const expected = { dids: [did], secrets: pairs.map(secretOf) }
      const forms = [wallet, [wallet], wallet.contents, JSON.stringify(wallet), JSON.stringify(wallet.contents)]
      for (const form of [...forms, [{ contents: [resolution] }, ...keys]])
        expect(readContents(await openWallets(form, none))).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})

test('encrypted ones open with one password, together or one by one', async () => {
  const one = { kind: 'Ed25519' as const, publicKey: randomBytes(32), privateKey: randomBytes(32) }
  const key = await passwordToKey('correct horse')
  const sources = { now: new Date(), random: randomBytes }
  const documents = [resolution, printed(one)]
  const single = encryptWallet(documents, key, sources)
  const list = documents.map((document) => encryptWallet([document], key, sources))
  for (const form of [single, list, JSON.stringify(single), [single, printed(one)]]) {
    const { dids, secrets } = readContents(await openWallets(form, walletOpener('correct horse')))
    expect([dids, secrets[0]]).toEqual([[did], secretOf(one)])
  }
  await expect(openWallets(single, walletOpener('correct horsf'))).rejects.toThrow(WrongPassword)
  await expect(openWallets(single, none)).rejects.toThrow(/give its password/)
})

// The keys are as wallets of the field write them: a 64-byte secret, and multibase without any codec.
const seed = new Uint8Array(32).fill(5)
const publicKey = new Uint8Array(32).fill(6)
const both = Uint8Array.from([...seed, ...publicKey])
const base = { id: '#key-1', type: 'Ed25519VerificationKey2018', controller: did }
test.each<[string, JsonObject]>([
  ['64 bytes', { ...base, privateKeyBase58: encodeBase58(both) }],
  ['32 bytes', { ...base, privateKeyBase58: encodeBase58(seed), publicKeyBase58: encodeBase58(publicKey) }],
  [
    'multibase without a codec',
    { ...base, privateKeyMultibase: multibase([], both), publicKeyMultibase: multibase([], publicKey) },
  ],
  ['multibase with codecs', { ...base, privateKeyMultibase: multibase([0x80, 0x26], both) }],
  ['the newer type', { ...base, type: ['Ed25519VerificationKey2020'], privateKeyMultibase: multibase([], both) }],
  ['Multikey', { ...base, type: 'Multikey', secretKeyMultibase: multibase([0x80, 0x26], both) }],
  [
    'a JWK',
    {
      ...base,
      type: 'JsonWebKey2020',
      privateKeyJwk: { kty: 'OKP', crv: 'Ed25519', d: Buffer.from(seed).toString('base64url') },
      publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
    },
  ],
])('a key as %s is read', (_what, document) => {
  const secret = { kind: 'Ed25519', publicKey: hexOf(publicKey), privateKey: hexOf(seed), controller: did }
  expect(readContents([document]).secrets).toEqual([secret])
})

test('base58 that begins with the z of multibase is read as base58', () => {
  const one = { kind: 'Bls12381G2' as const, publicKey: new Uint8Array(96).fill(0xa6), privateKey: seed }
  const document = printed(one)
  expect(document.publicKeyBase58).toMatch(/^z/)
  expect(readContents([document]).secrets).toEqual([secretOf(one)])
})

test('an Ed25519 secret is printed with its public half, as the field has it', () => {
  const document = printed({ kind: 'Ed25519', publicKey, privateKey: seed })
  const written = decodeBase58(String(document.privateKeyBase58)) ?? new Uint8Array()
  expect(hexOf(written)).toBe(hexOf(both))
  expect(document.privateKeyMultibase).toBe(multibase([0x80, 0x26], both))
})

test.each<JsonObject>([
  { type: 'VerifiableCredential', id: 'urn:x' },
  { ...base },
  { ...base, type: 'RsaVerificationKey2018', privateKeyBase58: encodeBase58(both) },
  { ...base, type: 'Bls12381BBDT16VerificationKeyDock2024', privateKeyBase58: encodeBase58(seed) },
  { ...base, type: 7, privateKeyBase58: encodeBase58(both) },
  { type: 'JsonWebKey2020', privateKeyJwk: { crv: '__proto__', d: 'AAAA' } },
])('%j holds no key for us', (document) => {
  expect(readContents([document]).secrets).toEqual([])
})

test.each<JsonObject>([
  { ...base, privateKeyBase58: '0OIl' },
  { ...base, privateKeyBase58: encodeBase58(seed.subarray(1)) },
  { ...base, privateKeyBase58: encodeBase58(both.subarray(1)) },
  { ...base, privateKeyMultibase: multibase([0x81, 0x26], seed) },
  { ...base, privateKeyJwk: { d: 'AAAA' } },
])('%j is a malformed key', (document) => {
  expect(() => readContents([document])).toThrow(WalletError)
})

test('encrypted ones and their parts are counted before they are opened, also where nothing is in them', async () => {
  const key = await passwordToKey('correct horse')
  const empty = encryptWallet([], key, { now: new Date(), random: randomBytes })
  const opening = async (data: unknown) => {
    let opened = 0
    const refusal = await openWallets(data, async () => {
      opened++
      return Buffer.from('{"contents":[]}')
    }).catch((error: unknown) => error)
    return { opened, refusal }
  }
  const lists = (count: number, inner: unknown) => Array(count).fill(Array(100).fill(inner))
  expect(await opening(Array(50).fill(empty))).toEqual({ opened: 50, refusal: [] })
  for (const data of [Array(51).fill(empty), lists(20, empty)]) {
    const { opened, refusal } = await opening(data)
    expect([opened, refusal]).toEqual([50, expect.objectContaining({ message: 'A wallet may hold 50 encrypted ones' })])
  }
  const { refusal } = await opening(lists(100, []))
  expect(refusal).toEqual(expect.objectContaining({ message: 'A wallet may be packed from 1000 parts' }))
})

const deep = (levels: number): unknown => (levels === 0 ? resolution : [deep(levels - 1)])
test.each<[string, unknown]>([
  ['a number', 7],
  ['nothing', undefined],
  ['broken JSON', '{"contents":['],
  ['JSON of a text', '"x"'],
  ['a list of texts', ['x']],
  ['an envelope of another form', { credentialSubject: { encryptedWalletContents: { ciphertext: 'x' } } }],
  ['a list in a list in a list', deep(5)],
  ['too many documents', Array(201).fill(resolution)],
  ['too many in parts', [Array(101).fill(resolution), Array(100).fill(resolution)]],
])('%s is no wallet', async (_what, data) => {
  const refusal = await openWallets(data, none).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(WalletError)
  expect(JSON.stringify(refusal)).not.toContain('contents":[')
})

test('a wallet at the limits is read', async () => {
  expect(await openWallets(deep(4), none)).toHaveLength(1)
  expect(await openWallets(Array(200).fill(resolution), none)).toHaveLength(200)
})
