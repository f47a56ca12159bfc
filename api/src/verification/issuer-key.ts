import { parseDid } from '@accredit/chain'
import { keyRefOf } from '../dids/held-key.store.js'
import { type Finding, unavailable } from '../formats/check.js'
import type { HeldKey, NeededKey } from '../formats/credential-format.js'
import { heldKey } from '../formats/signer-primitives.js'
import type { Environment } from '../platform/http/context.js'

export interface IssuerKeyDoor extends Pick<Environment, 'db' | 'signer'> {
  /** The share of the signer's work that a question to a private key counts for. */
  readonly share: string
}

/** A way to ask the private half of a key, where the signer of this service holds it. */
export async function askIssuerKey(
  { db, signer, share }: IssuerKeyDoor,
  { id }: NeededKey,
  publicKey: Uint8Array,
): Promise<HeldKey | Finding> {
  const did = parseDid(id.split('#')[0] ?? '')
  const keyRef = did && (await db.read('system', (reader) => keyRefOf(reader, did, publicKey)))
  if (keyRef === undefined)
    return unavailable('only the service of its issuer can check this proof, and that is another')
  return heldKey(signer, keyRef, share)
}
