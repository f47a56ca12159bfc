import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { seal, unseal } from './seal.js'

const key = randomBytes(32)
const plain = Buffer.from('Ömer Seyfettin')

test('a sealed value opens under its key and context, and tells nothing else', () => {
  const sealed = seal(key, plain, 'row 1', randomBytes)
  expect(unseal(key, sealed, Buffer.from('row 1'))).toEqual(plain)
  expect(sealed.includes(plain)).toBe(false)
  expect(seal(key, plain, 'row 1', randomBytes)).not.toEqual(sealed)
})

test('another key, another context or any other byte opens nothing', () => {
  const sealed = seal(key, plain, 'row 1', randomBytes)
  expect(() => unseal(randomBytes(32), sealed, 'row 1')).toThrow()
  expect(() => unseal(key, sealed, 'row 2')).toThrow()
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(() => unseal(key, changed, 'row 1'), `byte ${at}`).toThrow()
  }
  expect(() => unseal(key, sealed.subarray(0, 20), 'row 1')).toThrow()
})
