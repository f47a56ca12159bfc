import { hkdfSync } from 'node:crypto'

/**
 * A key for what only the bearer of an API key may read or recognise again. It is derived from the key itself, of which
 * the database has only a SHA-256: who has a dump has neither, and cannot guess it, since API keys are 256 random bits.
 */
export const bearerKey = (apiKey: string, purpose: 'idempotent answer' | 'idempotent request'): Buffer =>
  Buffer.from(hkdfSync('sha256', apiKey, 'accredit', purpose, 32))
