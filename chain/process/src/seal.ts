import { createCipheriv, createDecipheriv } from 'node:crypto'

const NONCE = 12
const TAG = 16

/**
 * Seals a value by AES-256-GCM: nonce (12 bytes), tag (16), ciphertext.
 *
 * @param context the purpose of the sealed value; it cannot be opened for any other
 * @param random returns so many random bytes
 */
export function seal(
  key: Uint8Array,
  plain: Uint8Array,
  context: string | Uint8Array,
  random: (length: number) => Uint8Array,
): Buffer {
  const nonce = random(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws when the key, the bytes or the context differ from those at sealing. */
export function unseal(key: Uint8Array, sealed: Uint8Array, context: string | Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(NONCE, NONCE + TAG))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()])
}
