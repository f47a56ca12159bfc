import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { IsSigned } from './proof/justification.js'

/** The beginning of a public key of Ed25519 in DER (RFC 8410), which its 32 bytes follow. */
const DER = Buffer.from('302a300506032b6570032100', 'hex')
/** Reading a key takes as long as checking a signature, and the same validators sign one block after the other. */
const MOST_KEYS = 1_000
const keys = new Map<string, KeyObject>()

/** Checks signatures with the OpenSSL of Node, in a tenth of the verifier's own time. No browser has it. */
export const isSignedByOpenssl: IsSigned = (signature, message, key) => verify(null, message, publicKey(key), signature)

function publicKey(bytes: Uint8Array): KeyObject {
  const name = Buffer.from(bytes).toString('base64')
  const known = keys.get(name)
  if (known !== undefined) return known
  const read = createPublicKey({ key: Buffer.concat([DER, bytes]), format: 'der', type: 'spki' })
  if (keys.size >= MOST_KEYS) keys.clear()
  keys.set(name, read)
  return read
}
