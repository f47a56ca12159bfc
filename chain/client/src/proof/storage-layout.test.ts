import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chainDid, parseAnyDid } from '../did.js'
import { bytesOf, type Hex, hexOf } from './bytes.js'
import { compareDids, type LedgerDid, parseDid } from './did.js'
import * as values from './ledger-values.js'
import { GENESIS_HASH, GRANDPA_AUTHORITIES, storageKeys, TIMESTAMP_NOW } from './storage-keys.js'
import { stateEntry, storageKey } from './testing/runtime-types.js'

const hex32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hexOf)
const u32 = fc.integer({ min: 0, max: 0xffff_ffff })
const did = fc
  .oneof(
    hex32.map((id) => ({ Svc: id })),
    hex32.map((key) => ({ Key: { Ed25519: key } })),
    fc.uint8Array({ minLength: 33, maxLength: 33 }).map((key) => ({ Key: { Secp256k1: hexOf(key) } })),
    fc
      .stringMatching(/^did:web:[a-z0-9.-]{1,80}[a-z]$/)
      .map((text) => ({ Other: hexOf(new TextEncoder().encode(text)) })),
  )
  .map((chain) => ({ chain, ledger: ledgerDidOf(chain) }))

function ledgerDidOf(chain: unknown): LedgerDid {
  const [, encoded] = stateEntry('trustRegistry.proposals', [`0x${'00'.repeat(32)}`], chain)
  return values.readDelegator(bytesOf(`0x${'00'.repeat(16)}${encoded.slice(2)}`))
}

const encoded = (...entry: Parameters<typeof stateEntry>): Uint8Array => bytesOf(stateEntry(...entry)[1])

test('keys of plain items are those of the runtime', () => {
  expect(hexOf(TIMESTAMP_NOW)).toBe(storageKey('timestamp.now'))
  expect(hexOf(GRANDPA_AUTHORITIES)).toBe(storageKey('grandpa.authorities'))
  expect(hexOf(GENESIS_HASH)).toBe(storageKey('system.blockHash', 0))
})

test('keys of all items, over any ids, DIDs and numbers, are those of the runtime', () => {
  fc.assert(
    fc.property(hex32, hex32, did, u32, (a, b, { chain, ledger }, number) => {
      const [first, second] = [bytesOf(a), bytesOf(b)]
      const pairs: [Uint8Array, Hex][] = [
        [storageKeys.did(first), storageKey('did.dids', a)],
        [storageKeys.key(first, number), storageKey('did.keys', a, number)],
        [storageKeys.revokedKeys(first), storageKey('did.revokedKeys', a)],
        [storageKeys.registry(first), storageKey('trustRegistry.registries', a)],
        [storageKeys.schema(first, second), storageKey('trustRegistry.schemas', a, b)],
        [storageKeys.entry(first, second)(ledger.encoded), storageKey('trustRegistry.entries', a, b, chain)],
        [storageKeys.standing(first)(ledger.encoded), storageKey('trustRegistry.standings', a, chain)],
        [storageKeys.revocationRegistry(first), storageKey('revocation.registries', a)],
        [storageKeys.chunk(first, number), storageKey('revocation.chunks', a, number)],
      ]
      for (const [own, runtime] of pairs) expect(hexOf(own)).toBe(runtime)
    }),
    { numRuns: 60 },
  )
})

test('a delegation’s key begins with its delegate and registry, and ends with its issuer', () => {
  fc.assert(
    fc.property(hex32, did, did, (registry, delegate, issuer) => {
      const prefix = storageKeys.delegations(delegate.ledger.encoded, bytesOf(registry))
      const key = storageKey('trustRegistry.delegations', delegate.chain, registry, issuer.chain)
      expect(key.startsWith(hexOf(prefix))).toBe(true)
      expect(values.readDelegator(bytesOf(key).subarray(prefix.length))).toEqual(issuer.ledger)
    }),
    { numRuns: 60 },
  )
})

test('a DID is read from text and from bytes as the rest of the product does', () => {
  fc.assert(
    fc.property(did, ({ chain, ledger }) => {
      const product = parseAnyDid(ledger.text)
      expect(product && chainDid(product)).toEqual(chain)
      expect(parseDid(ledger.text)).toEqual(ledger)
    }),
  )
  for (const text of [
    '',
    'did:svc:',
    'did:svc:1',
    'did:key:z1',
    'did:web:',
    'did:svc:0OIl',
    `did:web:${'a'.repeat(505)}`,
  ])
    expect(parseDid(text), text).toBeUndefined()
})

test('DIDs are ordered as the runtime does: by kind, then by bytes', () => {
  const web = (text: string) => ledgerDidOf({ Other: hexOf(new TextEncoder().encode(`did:web:${text}`)) })
  const svc = (byte: string) => ledgerDidOf({ Svc: `0x${byte.repeat(32)}` })
  const key = (byte: string) => ledgerDidOf({ Key: { Ed25519: `0x${byte.repeat(32)}` } })
  const sorted = [svc('01'), svc('02'), key('00'), web('a'), web('aa'), web('b')]
  expect([...sorted].reverse().sort(compareDids)).toEqual(sorted)
})

const ID = `0x${'01'.repeat(32)}`

test('values of trust registries are read as the runtime writes them', () => {
  const numbers = { version: 7, schemas: 3, entries: 9, issuers: 4, verifiers: 5 }
  fc.assert(
    fc.property(did, fc.string({ maxLength: 16 }), fc.boolean(), ({ chain, ledger }, name, flag) => {
      const text = hexOf(new TextEncoder().encode(name))
      const registry = { convener: chain, name: text, govFramework: text, ...numbers }
      const read = values.readTrustRegistry(encoded('trustRegistry.registries', [ID], { Active: registry }))
      expect(read).toEqual({ convener: ledger.text, name, governance: name, ...numbers })
      const standing = { issuerSchemas: 1, verifierSchemas: 2, suspended: flag, delegates: [chain] }
      expect(values.readIsSuspended(encoded('trustRegistry.standings', [ID, chain], standing))).toBe(flag)
      const schema = { public: flag, entries: 1, issuers: 1, verifiers: 1, priced: 1 }
      expect(values.readIsPublic(encoded('trustRegistry.schemas', [ID, ID], schema))).toBe(flag)
    }),
    { numRuns: 30 },
  )
  expect(values.readTrustRegistry(encoded('trustRegistry.registries', [ID], 'Removed'))).toBe('removed')
})

test('an entry tells prices, and an issuer without any from one that is none', () => {
  const entry = (value: unknown) => values.readEntry(encoded('trustRegistry.entries', [ID, ID, { Svc: ID }], value))
  const symbol = hexOf(new TextEncoder().encode('EUR'))
  const price = 2n ** 100n
  expect(entry({ issuer: new Map([[symbol, price]]), verifier: true })).toEqual({
    prices: { EUR: price.toString() },
    isVerifier: true,
  })
  expect(entry({ issuer: new Map(), verifier: false })).toEqual({ prices: {}, isVerifier: false })
  expect(entry({ issuer: null, verifier: true })).toEqual({ isVerifier: true })
})

test('DIDs and keys of all kinds are read as the runtime writes them', () => {
  const record = { lastKey: 5, keys: 4, controlKeys: 1, controllers: 2, services: 3 }
  const { lastKey: lastKeyNumber, ...counts } = record
  expect(values.readDidState(encoded('did.dids', [ID], { Active: record }))).toEqual({ lastKeyNumber, ...counts })
  expect(values.readDidState(encoded('did.dids', [ID], 'Deactivated'))).toBe('deactivated')
  expect(values.readKeyNumbers(encoded('did.revokedKeys', [ID], [2, 70, 1_024]))).toEqual([2, 70, 1_024])
  const lengths = { Ed25519: 32, X25519: 32, BabyJubJub: 32, Bls12381G2: 96, Secp256k1: 33, Sr25519: 32 }
  for (const [kind, length] of Object.entries({ ...lengths, Bls12381G2Plus2022: 96 })) {
    const publicKey = `0x${'5a'.repeat(length)}`
    const key = encoded('did.keys', [ID, 1], { key: { [kind]: publicKey }, relationships: 0b1011 })
    const relationships = ['authentication', 'assertionMethod', 'keyAgreement']
    expect(values.readKey(key)).toEqual({ keyKind: kind, publicKey, relationships })
  }
})

test('revocation registries and their bits are read as the runtime writes them', () => {
  const registry = (kind: unknown) =>
    values.readRevocationRegistry(
      encoded('revocation.registries', [ID], {
        Active: { policy: [{ Svc: ID }, { Key: { Ed25519: ID } }], addOnly: true, kind, version: 9 },
      }),
    )
  expect(registry({ StatusList: { length: 131_072 } })).toEqual({
    registryKind: 'statusList',
    length: 131_072,
    version: 9,
  })
  expect(registry({ Accumulator: { publicKey: '0x0102', accumulated: '0x03' } })).toEqual({
    registryKind: 'accumulator',
    length: 1 << 20,
    version: 9,
  })
  const chunk = Uint8Array.from({ length: 256 }, (_, at) => (at === 1 ? 0b0100_0000 : 0))
  const bits = encoded('revocation.chunks', [ID, 0], hexOf(chunk))
  expect([8, 9, 10, 2_048 + 9].map((index) => values.readStatusBit(bits, index))).toEqual([false, true, false, true])
})

test('a value with a byte too few or too many is refused', () => {
  const value = encoded('did.dids', [ID], 'Deactivated')
  expect(() => values.readDidState(value.subarray(1))).toThrow('The DID ends too early.')
  expect(() => values.readDidState(Uint8Array.of(...value, 0))).toThrow('The DID has bytes behind its end.')
  expect(() => values.readDidState(Uint8Array.of(2))).toThrow('The DID holds a variant that is not known.')
})
