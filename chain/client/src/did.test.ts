import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from './base58.js'
import { hex32Of, hexOf, parseHex32 } from './bytes.js'
import { chainDid, didKey, didKeyPublicKey, didOf, didSvc, didToHex, parseAnyDid, parseDid } from './did.js'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

describe('a DID', () => {
  test('of the ledger is its 32 bytes in base58btc, both ways', () => {
    fc.assert(
      fc.property(bytes(32), (id) => {
        const did = didSvc(hex32Of(id))
        expect(did).toBe(`did:svc:${encodeBase58(id)}`)
        expect(parseDid(did)).toBe(did)
        expect(didToHex(did)).toBe(hexOf(id))
        expect(didOf(chainDid(did))).toBe(did)
      }),
    )
  })

  test('is nothing that takes long to read, however long the text is', () => {
    const begun = performance.now()
    for (const method of ['did:svc:', 'did:key:z']) expect(parseDid(`${method}${'z'.repeat(60_000)}`)).toBeUndefined()
    expect(performance.now() - begun).toBeLessThan(1_000)
  })

  test('of method key begins z6Mk for Ed25519 and zQ3s for secp256k1, and gives its key back', () => {
    fc.assert(
      fc.property(bytes(32), (key) => {
        const did = didKey({ kind: 'Ed25519', publicKey: hexOf(key) })
        expect(did).toMatch(/^did:key:z6Mk/)
        expect(did && didKeyPublicKey(did)).toEqual(key)
        expect(did && didOf(chainDid(did))).toBe(did)
      }),
    )
    fc.assert(
      fc.property(bytes(32), fc.constantFrom(2, 3), (x, sign) => {
        const key = new Uint8Array([sign, ...x])
        const did = didKey({ kind: 'Secp256k1', publicKey: hexOf(key) })
        expect(did).toMatch(/^did:key:zQ3s/)
        expect(did && didKeyPublicKey(did)).toEqual(key)
      }),
    )
  })

  test('is the known one of a known key', () => {
    // Test vector of the did:key method specification, section "Ed25519".
    const did = parseDid('did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp')
    expect(did && hexOf(didKeyPublicKey(did) ?? new Uint8Array())).toBe(
      '0x3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29',
    )
  })

  test.each([
    '',
    'did:svc:',
    'did:svc:0OIl',
    'did:svc:abc',
    'did:web:example.org',
    'did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc',
    'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp#key',
    ` ${didSvc(hex32Of(new Uint8Array(32)))}`,
    `did:svc:1${encodeBase58(new Uint8Array(32))}`,
    `did:svc:${'1'.repeat(500)}`,
  ])('is not %j', (text) => {
    expect(parseDid(text)).toBeUndefined()
  })

  test.each([
    'did:web:example.org',
    'did:web:example.org%3A8443:issuers:a',
    `did:jwk:${'e'.repeat(400)}`,
    'did:example:a:b',
  ])('of another method is its text, %s', (text) => {
    const did = parseAnyDid(text)
    expect(did).toBe(text)
    expect(parseDid(text)).toBeUndefined()
    expect(did && didOf(chainDid(did))).toBe(text)
    expect(did && [didToHex(did), didKeyPublicKey(did)]).toEqual([undefined, undefined])
  })

  test.each([
    'did:web:',
    'did:web:a:',
    'did:Web:a',
    'did:web:a#b',
    'did:web:a/b',
    'did:web:a?b',
    'did:web:a b',
    'did:web:%4',
    'did:web:%zz',
    'did:web:é',
    `did:web:${'a'.repeat(505)}`,
    'did:svc:abc',
    'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169',
  ])('of no method is %j', (text) => {
    expect(parseAnyDid(text)).toBeUndefined()
  })

  test('is never anything but its canonical text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseDid(`did:svc:${text}`) ?? `did:svc:${text}`).toBe(`did:svc:${text}`)
      }),
    )
  })
})

describe('bytes as text', () => {
  test('base58 that is none is undefined', () => {
    expect(decodeBase58('0')).toBeUndefined()
    expect(decodeBase58('2NEpo7TZRRrLZSi2U')).toEqual(new TextEncoder().encode('Hello World!'))
  })

  test('32 bytes are taken in either case and with or without 0x, and nothing else is', () => {
    const hex = `0x${'ab'.repeat(32)}`
    for (const text of [hex, hex.slice(2), hex.toUpperCase().replace('0X', '0x')]) expect(parseHex32(text)).toBe(hex)
    for (const text of ['', '0x', hex.slice(0, -1), `${hex}00`, hex.replace('a', 'g')]) {
      expect(parseHex32(text)).toBeUndefined()
    }
  })
})
