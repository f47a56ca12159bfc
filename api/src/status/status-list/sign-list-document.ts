import type { JsonObject } from '../../formats/json.js'
import { NO_EXTRA_CONTEXTS } from '../../formats/json-ld/contexts/document-loader.js'
import { addProof } from '../../formats/json-ld/linked-data-proof.js'
import type { IssuingSuite } from '../../formats/json-ld/suites/signature-suite.js'
import { networkOf } from '../../platform/security/client-address.js'
import type { Publisher, PublishingDoor } from '../status-method.js'

/** Signs a list that is a JSON-LD credential. @returns its text */
export async function signListDocument(
  door: PublishingDoor,
  suite: IssuingSuite,
  { document, signedAt }: { document: JsonObject; signedAt: Date },
  by: Publisher,
): Promise<string> {
  const { verificationMethod } = by
  const signed = await addProof({
    document,
    suite,
    options: { created: signedAt.toISOString(), verificationMethod, proofPurpose: 'assertionMethod' },
    hash: door.canonicalHashes.of(networkOf(door), NO_EXTRA_CONTEXTS),
    sign: (bytes) => signBytes(door, by, bytes),
  })
  return JSON.stringify(signed)
}

export async function signBytes({ signer }: PublishingDoor, { keyRef }: Publisher, bytes: Uint8Array) {
  const [signature] = await signer.sign([{ keyRef, bytes }])
  if (!signature) throw new Error('the signer answered no signature')
  return signature
}
