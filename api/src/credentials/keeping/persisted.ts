import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { hashRaw } from '@node-rs/argon2'

/** The work of argon2id for one password. What was sealed at one cost opens at no other. */
export interface PasswordCost {
  /** In KiB. */
  readonly memoryCost: number
  /** The passes over the memory. */
  readonly timeCost: number
}

declare module '../../platform/http/context.js' {
  interface ContextServices {
    /** `PASSWORD_COST`; tests that are not about it have a small one. */
    readonly passwordCost: PasswordCost
  }
}

/** The cost of every product process. Passwords may be as short as 4 characters: a guess costs 64 MiB and three passes. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 65_536, timeCost: 3 }
const KEY = { parallelism: 1, outputLen: 32 } as const
const VERSION = 1
const SALT_BYTES = 16
const NONCE_BYTES = 24
const TAG_BYTES = 16

const keyOf = (password: string, salt: Uint8Array, { memoryCost, timeCost }: PasswordCost): Promise<Buffer> =>
  hashRaw(password, { ...KEY, memoryCost, timeCost, salt })

/**
 * Seals a credential for keeping: version, salt, nonce, secretbox. Neither password nor key is kept anywhere.
 * @param bytes the source of randomness
 */
export async function seal(
  text: string,
  password: string,
  bytes: (length: number) => Uint8Array,
  cost: PasswordCost,
): Promise<Buffer> {
  const salt = bytes(SALT_BYTES)
  const nonce = bytes(NONCE_BYTES)
  const box = xsalsa20poly1305(await keyOf(password, salt, cost), nonce).encrypt(Buffer.from(text))
  return Buffer.concat([Uint8Array.of(VERSION), salt, nonce, box])
}

/** Opens with no password, after the same work. */
export const UNOPENABLE: Uint8Array = Uint8Array.of(VERSION, ...new Uint8Array(SALT_BYTES + NONCE_BYTES + TAG_BYTES))

/** @returns undefined when the password is not the right one */
export async function open(sealed: Uint8Array, password: string, cost: PasswordCost): Promise<string | undefined> {
  if (sealed[0] !== VERSION) throw new Error(`a persisted credential has version ${sealed[0]}`)
  const salt = sealed.subarray(1, 1 + SALT_BYTES)
  const nonce = sealed.subarray(1 + SALT_BYTES, 1 + SALT_BYTES + NONCE_BYTES)
  const box = sealed.subarray(1 + SALT_BYTES + NONCE_BYTES)
  const cipher = xsalsa20poly1305(await keyOf(password, salt, cost), nonce)
  try {
    return Buffer.from(cipher.decrypt(box)).toString('utf8')
  } catch {
    return undefined
  }
}
