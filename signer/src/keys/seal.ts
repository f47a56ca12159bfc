/** Sealing at rest: AES-256-GCM. A sealed value is nonce (12 bytes), tag (16), ciphertext; `context` is bound to it. */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Randomness } from '../randomness.js'

const nonceLength = 12
const tagLength = 16

export function seal(key: Uint8Array, plain: Uint8Array, context: string, random: Randomness): Buffer {
  const nonce = random(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context, 'utf8'))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws when the key, the bytes or the context is another than at sealing. */
export function unseal(key: Uint8Array, sealed: Uint8Array, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceLength), { authTagLength: tagLength })
  decipher.setAAD(Buffer.from(context, 'utf8')).setAuthTag(sealed.subarray(nonceLength, nonceLength + tagLength))
  return Buffer.concat([decipher.update(sealed.subarray(nonceLength + tagLength)), decipher.final()])
}
