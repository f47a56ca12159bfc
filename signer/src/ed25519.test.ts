import { createPrivateKey, createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { publicKeyOf, signEd25519 } from './ed25519.js'

// RFC 8032, section 7.1, test 2.
const seed = Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex')
const publicKey = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c'

test("keys and signatures are those of RFC 8032's test vector", () => {
  expect(publicKeyOf('Ed25519', seed).toString('hex')).toBe(publicKey)
  expect(signEd25519(seed, Buffer.from('72', 'hex')).toString('hex')).toBe(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  )
})

test('an X25519 public key is the same as through its PKCS 8 form', () => {
  const alice = Buffer.alloc(32, 7)
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), alice])
  const spki = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
    format: 'der',
    type: 'spki',
  })
  expect(publicKeyOf('X25519', alice)).toEqual(spki.subarray(-32))
})
