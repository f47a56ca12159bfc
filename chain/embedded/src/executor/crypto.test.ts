import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1'
import { cryptoWaitReady, sr25519PairFromSeed, sr25519Sign } from '@polkadot/util-crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { recoverSecp256k1, verifyEd25519Zip215, verifySr25519 } from './crypto.js'

const message = Buffer.from('a degree')
const other = Buffer.from('another')

beforeAll(cryptoWaitReady)

describe('Ed25519', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const signature = sign(null, message, privateKey)

  test('takes the signature of the message by the key, and no other', () => {
    expect(verifyEd25519Zip215(signature, message, key)).toBe(true)
    expect(verifyEd25519Zip215(signature, other, key)).toBe(false)
    expect(verifyEd25519Zip215(signature, message, randomBytes(32))).toBe(false)
    expect(verifyEd25519Zip215(Buffer.alloc(64, 255), message, key)).toBe(false)
  })

  test('takes a key of order eight, as ZIP 215 does and OpenSSL does not', () => {
    const ofOrderEight = Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex')
    const identityAndZero = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)])
    for (let number = 0; number < 16; number += 1) {
      expect(verifyEd25519Zip215(identityAndZero, Buffer.from([number]), ofOrderEight)).toBe(true)
    }
  })
})

test('sr25519 takes the signature of the message by the key, and no other', () => {
  const pair = sr25519PairFromSeed(randomBytes(32))
  const signature = sr25519Sign(message, pair)
  expect(verifySr25519(signature, message, pair.publicKey)).toBe(true)
  expect(verifySr25519(signature, other, pair.publicKey)).toBe(false)
  expect(verifySr25519(Buffer.alloc(64, 255), message, pair.publicKey)).toBe(false)
})

describe('secp256k1', () => {
  const digest = createHash('sha256').update(message).digest()
  const secret = secp256k1.utils.randomPrivateKey()
  const made = secp256k1.sign(digest, secret)
  const signature = (recovery: number) => Buffer.concat([made.toCompactRawBytes(), Buffer.from([recovery])])

  test('recovers the key that signed, however the recovery id is counted', () => {
    const key = Buffer.from(secp256k1.getPublicKey(secret, true))
    expect(Buffer.from(recovered(signature(made.recovery)))).toEqual(key)
    expect(Buffer.from(recovered(signature(made.recovery + 27)))).toEqual(key)
    expect(Buffer.from(recovered(signature(1 - made.recovery)))).not.toEqual(key)
  })

  test('says why there is no key', () => {
    const ofZero = Buffer.concat([Buffer.alloc(64), Buffer.from([0])])
    expect(recoverSecp256k1(Buffer.alloc(65, 255).fill(0, 64), digest)).toBe(0)
    expect(recoverSecp256k1(signature(4), digest)).toBe(1)
    expect([0, 2]).toContain(recoverSecp256k1(ofZero, digest))
  })

  function recovered(bytes: Uint8Array): Uint8Array {
    const key = recoverSecp256k1(bytes, digest)
    if (typeof key === 'number') throw new TypeError(`no key: ${key}`)
    return key
  }
})
