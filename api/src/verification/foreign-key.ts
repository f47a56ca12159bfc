import { type Did, encodeBase58, parseAnyDid } from '@accredit/chain'
import type { DidDocuments } from '../dids/foreign/did-documents.js'
import { didJwkKey } from '../dids/foreign/did-jwk.js'
import { documentKey, multikeyOf } from '../dids/foreign/document-key.js'
import { type Finding, failed, passed, unavailable } from '../formats/check.js'
import type { PublicKey } from '../formats/keys/json-web-key.js'
import type { KeyFinding, KeyQuestion } from './key-question.js'

export interface ForeignKeyDoor {
  readonly didDocuments: DidDocuments
}

/** The key of a DID that is not of this ledger, which a proof names. */
interface Named {
  did: Did
  fragment: string
  question: KeyQuestion
}

/** Finds the key of a DID of another method; its DID tells how. */
export async function foreignKey(
  door: ForeignKeyDoor,
  text: string,
  fragment: string,
  question: KeyQuestion,
): Promise<KeyFinding> {
  const did = parseAnyDid(text)
  const method = text.split(':', 2).join(':')
  const find = METHODS.get(method)
  if (find === undefined && method !== 'did:svc' && method !== 'did:key')
    return {
      finding: failed('did_method_not_supported', `DIDs of the method ${method.slice(0, 40)} cannot be resolved here`),
    }
  if (did === undefined || find === undefined)
    return { finding: failed('did_not_found', 'the DID is malformed, or its kind of key is not supported') }
  return find(door, { did, fragment, question })
}

type Find = (door: ForeignKeyDoor, named: Named) => KeyFinding | Promise<KeyFinding>

const METHODS: ReadonlyMap<string, Find> = new Map<string, Find>([
  ['did:jwk', keyOfDidJwk],
  ['did:web', keyOfDidWeb],
])

/** The key of a did:jwk never changes, never ends, and stands in the DID. */
function keyOfDidJwk(_door: ForeignKeyDoor, named: Named): KeyFinding {
  const found = didJwkKey(named.did)
  if (found === undefined)
    return { finding: failed('did_not_found', 'the DID is malformed, or its kind of key is not supported') }
  if (named.fragment !== '0')
    return { finding: failed('key_not_found', 'the fragment is not that of the key inside the DID') }
  return shown(named, found.key, found.signs ? passed() : WRONG_USE)
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
