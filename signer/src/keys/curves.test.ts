import { createPublicKey, verify } from 'node:crypto'
import crypto from '@docknetwork/crypto-wasm-ts'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sr25519Verify } from '@polkadot/util-crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemRandomness } from '../randomness.js'
import type { KeyKind } from '../wire.js'
import { openBlsPairs } from './bls-pairs.js'
import { openCurves, signerOf } from './curves.js'

const { BBSPublicKey, BBSSecretKey, BBSSignature, BBSSignatureParams, BBS_SIGNATURE_PARAMS_LABEL_BYTES } = crypto
const secp256k1Order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
const lastOfSecp256k1 = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140'
/** r of BLS12-381, little-endian. */
const blsOrder = '01000000fffffffffe5bfeff02a4bd5305d8a10908d83933487d9d2953a7ed73'
const lastOfBls = '00000000fffffffffe5bfeff02a4bd5305d8a10908d83933487d9d2953a7ed73'
const zero = '00'.repeat(32)

const bbs = openBlsPairs()
const curves = openCurves(bbs, systemRandomness)
beforeAll(() => crypto.initializeWasm())
afterAll(() => bbs.close())

describe('a private key has the public key that the standards say', () => {
  test.each<[string, KeyKind, string, string]>([
    [
      'RFC 8032, 7.1, test 2',
      'Ed25519',
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    ],
    [
      'RFC 7748, 6.1, Alice',
      'X25519',
      '77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a',
      '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a',
    ],
    [
      'SEC 2, 2.4.1, the generator',
      'Secp256k1',
      `${'00'.repeat(31)}01`,
      '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
    [
      'SEC 2, the generator negated',
      'Secp256k1',
      lastOfSecp256k1,
      '0379be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
    [
      'Substrate’s development account Alice',
      'Sr25519',
      'e5be9a5092b81bca64be81d212e7f2f9eba183bb7a90954f7b76361f6edb5c0a',
      'd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d',
    ],
    [
      'the test of iden3’s libraries, x in the upper half',
      'BabyJubJub',
      '0001020304050607080900010203040506070809000102030405060708090001',
      'c433f7a696b7aa3a5224efb3993baf0ccd9e92eecee0c29a3f6c8208a9e81d9e',
    ],
  ])('%s', async (_, kind, secret, publicKey) => {
    const pair = await curves.pairOf(kind, bytes(secret))
    expect(Buffer.from(pair.publicKey).toString('hex')).toBe(publicKey)
    expect(Buffer.from(pair.secret).toString('hex')).toBe(secret)
  })

  test('BBS keys sign for their public key, and are the same when they come back', async () => {
    const made = await curves.make('Bls12381G2')
    expect(await curves.pairOf('Bls12381G2', made.secret)).toEqual(made)
    const messages = [new Uint8Array([1]), new Uint8Array([2])]
    const parameters = BBSSignatureParams.generate(2, BBS_SIGNATURE_PARAMS_LABEL_BYTES)
    const signature = BBSSignature.generate(messages, new BBSSecretKey(made.secret), parameters, true)
    expect(signature.verify(messages, new BBSPublicKey(made.publicKey), parameters, true).verified).toBe(true)
  })
})

test("the public key of a BBS key is the library's, with the parameters of credentials", async () => {
  const parameters = BBSSignatureParams.generate(1, BBS_SIGNATURE_PARAMS_LABEL_BYTES)
  const made = await Promise.all(Array.from({ length: 20 }, async () => (await curves.make('Bls12381G2')).secret))
  for (const secret of [bytes(`01${'00'.repeat(31)}`), bytes(lastOfBls), ...made]) {
    const { publicKey } = await curves.pairOf('Bls12381G2', secret)
    const expected = new BBSSecretKey(secret).generatePublicKey(parameters)
    expect(Buffer.from(publicKey).toString('hex')).toBe(Buffer.from(expected.bytes).toString('hex'))
  }
})

describe('a secret that is no private key of its kind is refused', () => {
  test.each<[KeyKind, string[], string[]]>([
    ['Secp256k1', [zero, secp256k1Order], [`${'00'.repeat(31)}01`, lastOfSecp256k1]],
    ['Bls12381G2', [zero, blsOrder], [`01${'00'.repeat(31)}`, lastOfBls]],
  ])('%s: outside 1 to the order less one', async (kind, outside, inside) => {
    for (const secret of outside) {
      await expect(curves.pairOf(kind, bytes(secret))).rejects.toMatchObject({ type: 'malformed_key' })
    }
    for (const secret of inside) await curves.pairOf(kind, bytes(secret))
  })

  test.each<KeyKind>(['Ed25519', 'X25519', 'BabyJubJub', 'Bls12381G2', 'Secp256k1', 'Sr25519'])(
    '%s: of 31 or 33 bytes',
    async (kind) => {
      for (const length of [31, 33]) {
        await expect(curves.pairOf(kind, new Uint8Array(length).fill(1))).rejects.toMatchObject({ status: 422 })
      }
      await curves.pairOf(kind, new Uint8Array(32).fill(1))
    },
  )
})

describe('signatures', () => {
  const message = Buffer.from('Satoshi Nakamoto')

  test("Ed25519: those of RFC 8032's test vector", () => {
    const secret = bytes('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb')
    expect(hexOfSignature('Ed25519', secret, bytes('72'))).toBe(
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    )
  })

  test('Secp256k1: the deterministic one with the smaller s, good for other software', () => {
    const secret = bytes(`${'00'.repeat(31)}01`)
    const signature = hexOfSignature('Secp256k1', secret, message)
    expect(signature).toBe(
      '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
    )
    const { x, y } = secp256k1.Point.BASE.toAffine()
    const coordinate = (value: bigint) => bytes(value.toString(16).padStart(64, '0')).toString('base64url')
    const jwk = { kty: 'EC', crv: 'secp256k1', x: coordinate(x), y: coordinate(y) }
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    expect(verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, bytes(signature))).toBe(true)
  })

  test('Sr25519: good in the context that Substrate uses', async () => {
    const { secret, publicKey } = await curves.make('Sr25519')
    expect(sr25519Verify(message, bytes(hexOfSignature('Sr25519', secret, message)), publicKey)).toBe(true)
  })

  test.each<KeyKind>(['X25519', 'BabyJubJub', 'Bls12381G2'])('%s: none over bytes', (kind) => {
    expect(signerOf(kind)).toBeUndefined()
  })
})

function hexOfSignature(kind: KeyKind, secret: Uint8Array, message: Uint8Array): string {
  return Buffer.from(signerOf(kind)?.(secret)(message) ?? []).toString('hex')
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}
