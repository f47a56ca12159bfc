import { randomBytes } from 'node:crypto'

/** The one source of randomness; tests may pass their own. */
export type Randomness = (length: number) => Uint8Array

export const systemRandomness: Randomness = (length) => new Uint8Array(randomBytes(length))
