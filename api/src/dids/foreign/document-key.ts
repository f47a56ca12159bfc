import { decodeBase58 } from '@accredit/chain'
import type { VerifyingKeyKind } from '../../formats/credential-format.js'
import { asArray, idOf, isObject, type Json, type JsonObject, textOf } from '../../formats/json.js'
import { isForSignatures, type PublicKey, publicKeyOfJwk } from '../../formats/keys/json-web-key.js'

/** The prefixes of public keys in multibase (Multikey), as unsigned varints. */
const MULTICODEC: readonly { kind: VerifyingKeyKind; prefix: readonly [number, number]; length: number }[] = [
  { kind: 'Ed25519', prefix: [0xed, 0x01], length: 32 },
  { kind: 'P256', prefix: [0x80, 0x24], length: 33 },
  { kind: 'Secp256k1', prefix: [0xe7, 0x01], length: 33 },
]

export interface DocumentKey {
  readonly key: PublicKey
  /** The names of the lists of the document in which it stands: `assertionMethod`, `authentication` ... */
  serves(purpose: string): boolean
}

/** Finds a key in a DID document (DID Core, section 5.2); undefined where it has none of this name that verifies here. */
export function documentKey(document: JsonObject, did: string, id: string): DocumentKey | undefined {
  const isIt = (one: Json): boolean => {
    const name = idOf(one)
    return name === id || (name?.startsWith('#') === true && `${did}${name}` === id)
  }
  const lists = [document.verificationMethod, document.publicKey, document.assertionMethod, document.authentication]
  const [method, ...others] = lists.flatMap(asArray).filter(isObject).filter(isIt)
  // Two methods of one name could be two keys.
  if (method === undefined || others.length > 0 || method.controller !== did) return undefined
  // An end of its own would have to be held against the time of the question.
  if ('revoked' in method || 'expires' in method) return undefined
  const key = keyOf(method)
  return key && { key, serves: (purpose) => asArray(document[purpose]).some(isIt) }
}

function keyOf({ type, publicKeyJwk, publicKeyMultibase, publicKeyBase58 }: JsonObject): PublicKey | undefined {
  const given = [publicKeyJwk, publicKeyMultibase, publicKeyBase58].filter((one) => one !== undefined)
  if (given.length !== 1) return undefined
  if (isObject(publicKeyJwk)) return isForSignatures(publicKeyJwk) ? publicKeyOfJwk(publicKeyJwk) : undefined
  const multibase = textOf(publicKeyMultibase)
  if (multibase?.startsWith('z')) return keyOfMulticodec(decodeBase58(multibase.slice(1)))
  const bytes = type === 'Ed25519VerificationKey2018' ? decodeBase58(textOf(publicKeyBase58) ?? '') : undefined
  return bytes?.length === 32 ? { kind: 'Ed25519', bytes } : undefined
}

/** Reads a key as `Multikey` has it, decoded; undefined for kinds that verify nothing here. */
export function keyOfMulticodec(bytes: Uint8Array | undefined): PublicKey | undefined {
  const form = MULTICODEC.find(
    ({ prefix, length }) => bytes?.length === length + 2 && bytes[0] === prefix[0] && bytes[1] === prefix[1],
  )
  return form && bytes && { kind: form.kind, bytes: bytes.subarray(2) }
}

/** Returns the bytes of a key as `Multikey` has them, before their encoding. */
export function multikeyOf({ kind, bytes }: PublicKey): Uint8Array {
  const form = MULTICODEC.find((one) => one.kind === kind)
  if (form === undefined) throw new Error(`keys of kind ${kind} verify nothing here`)
  return Uint8Array.from([...form.prefix, ...bytes])
}
