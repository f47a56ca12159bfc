import { encodeBase58 } from '@accredit/chain'
import type { DidDocuments } from '../dids/foreign/did-documents.js'
import { didJwkKey } from '../dids/foreign/did-jwk.js'
import { otherDidKey } from '../dids/foreign/did-key.js'
import { documentKey, multikeyOf } from '../dids/foreign/document-key.js'
import { type Finding, failed, passed, unavailable } from '../formats/check.js'
import type { PublicKey } from '../formats/keys/json-web-key.js'
import type { KeyFinding, KeyQuestion } from './key-question.js'

export interface ForeignKeyDoor {
  readonly didDocuments: DidDocuments
}

/** The key of a DID that is not of this ledger, which a proof names. */
interface Named {
  did: string
  fragment: string
  question: KeyQuestion
}

/** Finds the key of a DID that the ledger cannot name; its method tells how. */
export async function foreignKey(
  door: ForeignKeyDoor,
  did: string,
  fragment: string,
  question: KeyQuestion,
): Promise<KeyFinding> {
  const method = did.split(':', 2).join(':')
  const find = METHODS.get(method)
  if (find !== undefined) return find(door, { did, fragment, question })
  return {
    finding: failed('did_method_not_supported', `DIDs of the method ${method.slice(0, 40)} cannot be resolved here`),
  }
}

type Find = (door: ForeignKeyDoor, named: Named) => KeyFinding | Promise<KeyFinding>

const NOT_FOUND: KeyFinding = {
  finding: failed('did_not_found', 'the DID is malformed, or its kind of key is not supported'),
}

const METHODS: ReadonlyMap<string, Find> = new Map<string, Find>([
  ['did:svc', () => NOT_FOUND],
  ['did:key', (_door, named) => keyInside(named, otherDidKey(named.did), named.did.slice('did:key:'.length))],
  ['did:jwk', keyOfDidJwk],
  ['did:web', keyOfDidWeb],
])

function keyOfDidJwk(_door: ForeignKeyDoor, named: Named): KeyFinding {
  const found = didJwkKey(named.did)
  return keyInside(named, found?.key, '0', found?.signs)
}

/** A key that stands in its DID never changes and never ends. */
function keyInside(named: Named, key: PublicKey | undefined, fragment: string, signs = true): KeyFinding {
  if (key === undefined) return NOT_FOUND
  if (named.fragment !== fragment)
    return { finding: failed('key_not_found', 'the fragment is not that of the key inside the DID') }
  return shown(named, key, signs ? passed() : WRONG_USE)
}

/** A document on a web host tells of the present only: nobody knows what stood in it before somebody looked. */
async function keyOfDidWeb({ didDocuments }: ForeignKeyDoor, named: Named): Promise<KeyFinding> {
  const { did, fragment, question } = named
  const { at, purpose } = question
  const found = await didDocuments.get(did)
  if ('reason' in found)
    return { finding: unavailable(`the document of ${did.slice(0, 200)} cannot be had: ${found.reason}`) }
  if (at.requested !== undefined && at.instant < found.since)
    return {
      finding: unavailable(`the document of ${did.slice(0, 200)} is known as it is now, and not as it was then`),
    }
  const key = documentKey(found.document, did, `${did}#${fragment}`)
  if (key === undefined)
    return {
      finding: failed('key_not_found', `the document of ${did.slice(0, 200)} has no such key that is supported`),
    }
  return shown(named, key.key, key.serves(purpose) ? passed() : WRONG_USE)
}

const WRONG_USE = failed('wrong_relationship', 'the key is not meant for this')

function shown({ did, fragment, question }: Named, key: PublicKey, finding: Finding): KeyFinding {
  if (key.kind !== question.kind) return { finding: failed('key_type_not_supported', `the key is of kind ${key.kind}`) }
  return {
    finding,
    publicKey: key.bytes,
    method: {
      id: `${did}#${fragment}`,
      type: 'Multikey',
      controller: did,
      publicKeyMultibase: `z${encodeBase58(multikeyOf(key))}`,
    },
  }
}
