import { randomBytes, randomUUID } from 'node:crypto'

/** The only source of randomness in this process. */
export interface Random {
  bytes(length: number): Uint8Array
  /** Lower-case hexadecimal of `length` random bytes. */
  hex(length: number): string
  uuid(): string
  /** A random number of 53 bits as decimal text, never `0`. */
  decimalId(): string
}

export const systemRandom: Random = {
  bytes: (length) => new Uint8Array(randomBytes(length)),
  hex: (length) => randomBytes(length).toString('hex'),
  uuid: () => randomUUID(),
  decimalId: () => String(randomBytes(8).readBigUInt64BE() >> 11n || 1n),
}
