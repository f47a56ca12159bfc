import { hkdfSync } from 'node:crypto'

/**
 * Derives a key for things that only the bearer of an API key may read or recognise again. The database has only a
 * SHA-256 of the API key: a thief of a dump has neither, and cannot guess it, since API keys are 256 random bits.
 */
export const bearerKey = (apiKey: string, purpose: 'idempotent answer' | 'idempotent request'): Buffer =>
  Buffer.from(hkdfSync('sha256', apiKey, 'accredit', purpose, 32))
