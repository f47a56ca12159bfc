import type { KeyKind } from '../ledger/write/signer-door.js'

/**
 * The keys of a new ledger DID in their order: `#keys-1` signs and acts, `#keys-2` is for BBS, `#keys-3` for messages.
 */
export const ledgerKeyKinds: KeyKind[] = ['Ed25519', 'Bls12381G2', 'X25519']

/** The same keys, followed by a requested key of another kind, `#keys-4`. The Ed25519 key beside it acts. */
export const keyKindsWith = (kind: KeyKind): KeyKind[] =>
  ledgerKeyKinds.includes(kind) ? ledgerKeyKinds : [...ledgerKeyKinds, kind]
