import type { ActingKey } from '../dids/did.store.js'
import type { LedgerAction } from '../ledger/write/signer-door.js'

/** The action of a DID that makes one call. */
export const dispatch = ({ did, keyId, keyRef }: ActingKey, call: Uint8Array): LedgerAction => ({
  kind: 'dispatch',
  did,
  keyId,
  keyRef,
  calls: [call],
})
