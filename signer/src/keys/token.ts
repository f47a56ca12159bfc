/**
 * A master key in a PKCS#11 token (a hardware security module, a smart card): an RSA key pair whose private half never
 * leaves it. The token is reached through `pkcs11-tool` of OpenSC, which speaks to the module of any vendor, a few
 * times at each start: no addon of Node that has to be compiled.
 */
import { execFile } from 'node:child_process'
import { constants, createPublicKey, publicEncrypt } from 'node:crypto'
import { seal, unseal } from '@accredit/process/seal'
import { SetupError } from '../errors.js'
import type { Randomness } from '../randomness.js'
import type { WrappingKey } from './wrapping-key.js'

export interface Token {
  /** The vendor's library. */
  module: string
  label: string
  pin: string
}

const KEY_BITS = 3072
const KEY_BYTES = KEY_BITS / 8
const SECRET_BYTES = 32

/** SHA-1 is the one hash for OAEP that every token knows; OAEP does not rest on its resistance to collisions. */
const OAEP = ['--mechanism', 'RSA-PKCS-OAEP', '--hash-algorithm', 'SHA-1', '--mgf', 'MGF1-SHA1']

/** Each wrapped value is the RSA ciphertext of a fresh secret, and then the value sealed by that secret. */
export function tokenKey(token: Token, id: string, random: Randomness): WrappingKey {
  return {
    async wrap(plain, context) {
      const secret = random(SECRET_BYTES)
      return Buffer.concat([await encrypted(token, id, secret), seal(secret, plain, context, random)])
    },
    async unwrap(wrapped, context) {
      const secret = await decrypted(token, id, wrapped.subarray(0, KEY_BYTES))
      return unseal(secret, wrapped.subarray(KEY_BYTES), context)
    },
  }
}

export async function makeTokenKey(token: Token, id: string): Promise<void> {
  const usage = ['--usage-decrypt', '--label', `accredit master key ${id}`]
  await call(token, id, ['--login', '--keypairgen', '--key-type', `rsa:${KEY_BITS}`, ...usage])
}

async function encrypted(token: Token, id: string, secret: Uint8Array): Promise<Buffer> {
  const der = await call(token, id, ['--read-object', '--type', 'pubkey'])
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }, secret)
}

function decrypted(token: Token, id: string, ciphertext: Uint8Array): Promise<Buffer> {
  return call(token, id, ['--login', '--decrypt', ...OAEP], ciphertext)
}

/** A token that does not answer by then is not there. */
const TIMEOUT_MS = 30_000

/** Returns what the tool writes about the key of that id. The PIN is in its environment: others may read arguments. */
function call(token: Token, id: string, args: readonly string[], input?: Uint8Array): Promise<Buffer> {
  const all = [
    '--module',
    token.module,
    '--token-label',
    token.label,
    '--id',
    id,
    '--pin',
    'env:MASTER_KEY_PIN',
    ...args,
  ]
  const env = { ...process.env, MASTER_KEY_PIN: token.pin, LC_ALL: 'C' }
  return new Promise((resolve, reject) => {
    const child = execFile('pkcs11-tool', all, { env, encoding: 'buffer', timeout: TIMEOUT_MS }, (error, out, said) => {
      if (error === null) resolve(out)
      else reject(new SetupError(reasonOf(error, said.toString(), token, id), { cause: error }))
    })
    // A tool that ends before it has read says why itself.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}

function reasonOf(
  error: { code?: unknown; killed?: boolean },
  said: string,
  { label, module }: Token,
  id: string,
): string {
  if (error.code === 'ENOENT') return 'pkcs11-tool is not there: install OpenSC, which reaches the token.'
  if (error.killed) return `The token "${label}" does not answer.`
  if (/Failed to load/.test(said)) return `MASTER_KEY_MODULE (${module}) is not a PKCS#11 module that can be loaded.`
  if (/No slot/.test(said)) return `There is no token "${label}" behind ${module}: see MASTER_KEY_TOKEN.`
  if (/CKR_PIN_LOCKED/.test(said)) return `The token "${label}" is locked after wrong PINs: its officer has to open it.`
  if (/CKR_PIN/.test(said)) return `The token "${label}" refuses the PIN. It may lock itself after a few more.`
  if (/not found/.test(said)) return `The token "${label}" does not hold the master key ${id} that this database needs.`
  return `The token "${label}" refuses: ${said.match(/error: (.*)/)?.[1] ?? said.trim()}`
}
