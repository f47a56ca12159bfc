import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { Random } from '../process/random.js'

const NONCE = 12
const TAG = 16

/**
 * A key for what only the bearer of an API key may read or recognise again. It is derived from the key itself, of which
 * the database has only a SHA-256: who has a dump has neither, and cannot guess it, since API keys are 256 random bits.
 */
export const bearerKey = (apiKey: string, purpose: 'idempotent answer' | 'idempotent request'): Buffer =>
  Buffer.from(hkdfSync('sha256', apiKey, 'accredit', purpose, 32))

/** AES-256-GCM: nonce, ciphertext, tag. `bound` must be the same at opening. */
export function seal(key: Uint8Array, text: string, bound: Uint8Array, random: Random): Buffer {
  const nonce = random.bytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

export function open(key: Uint8Array, sealed: Uint8Array, bound: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE)).setAAD(bound)
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE, bytes.length - TAG)), decipher.final()]).toString('utf8')
}
