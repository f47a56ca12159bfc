import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { isSmallOrder } from './small-order.js'
import { verifyEd25519 } from './verify-key.js'

const IDENTITY = Buffer.from('01'.padEnd(64, '0'), 'hex')
const BASE_POINT = Buffer.from('58'.padEnd(64, '6'), 'hex')
const anything = Buffer.from('anything')

test('a key that everybody can sign with verifies nothing', async () => {
  // s = 1 and R = the base point: good for every message under the identity.
  const forged = Buffer.concat([BASE_POINT, IDENTITY])
  for (const sign of [0, 0x80]) {
    const key = Buffer.from(IDENTITY)
    key[31] = sign
    expect(await verifyEd25519(key, anything, forged)).toBe(false)
  }
})

/** The order of the base point (RFC 8032, section 5.1). */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

/** Signs with the nonce 0, so that R is the identity: whoever saw such a signature has the private key. */
function signWithoutNonce(privateKey: KeyObject, publicKey: Uint8Array, message: Uint8Array): Buffer {
  const sha512 = (bytes: Uint8Array) => createHash('sha512').update(bytes).digest()
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const clamped = (littleEndian(sha512(seed).subarray(0, 32)) & (2n ** 254n - 8n)) | (2n ** 254n)
  const s = (littleEndian(sha512(Buffer.concat([IDENTITY, publicKey, message]))) * clamped) % ORDER
  return Buffer.concat([IDENTITY, Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()])
}

test('a signature whose first half is a point of small order is none, although the equation holds', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const signature = signWithoutNonce(privateKey, key, anything)
  expect(verify(null, anything, publicKey, signature)).toBe(true)
  expect(await verifyEd25519(key, anything, signature)).toBe(false)
})

test('a signature that begins with a point of small order is none, and an ordinary one is one', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const signature = sign(null, anything, privateKey)
  expect(await verifyEd25519(key, anything, signature)).toBe(true)
  expect(await verifyEd25519(key, anything, Buffer.concat([IDENTITY, signature.subarray(32)]))).toBe(false)
  expect([isSmallOrder(key), isSmallOrder(BASE_POINT), isSmallOrder(IDENTITY)]).toEqual([false, false, true])
})

test('a key or signature of another length verifies nothing', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const signature = sign(null, anything, privateKey)
  for (const other of [key.subarray(1), Buffer.concat([key, Buffer.of(0)])])
    expect(await verifyEd25519(other, anything, signature)).toBe(false)
  for (const other of [signature.subarray(0, 63), Buffer.concat([signature, Buffer.of(0)]), Buffer.of()])
    expect(await verifyEd25519(key, anything, other)).toBe(false)
})

test('points whose y is 0, 1 or -1 are of small order, in every encoding, whatever the sign of x', () => {
  const P = 2n ** 255n - 19n
  for (const y of [0n, 1n, P - 1n, P, P + 1n])
    for (const sign of [0n, 2n ** 255n]) {
      const point = Buffer.from((y + sign).toString(16).padStart(64, '0'), 'hex').reverse()
      expect(isSmallOrder(point), `${y} ${sign}`).toBe(true)
    }
  expect(isSmallOrder(Buffer.from(2n.toString(16).padStart(64, '0'), 'hex').reverse())).toBe(false)
})
