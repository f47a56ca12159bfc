import { generateKeyPairSync, sign } from 'node:crypto'
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

test('a signature that begins with a point of small order is none, and an ordinary one is one', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const signature = sign(null, anything, privateKey)
  expect(await verifyEd25519(key, anything, signature)).toBe(true)
  expect(await verifyEd25519(key, anything, Buffer.concat([IDENTITY, signature.subarray(32)]))).toBe(false)
  expect([isSmallOrder(key), isSmallOrder(BASE_POINT), isSmallOrder(IDENTITY)]).toEqual([false, false, true])
})
