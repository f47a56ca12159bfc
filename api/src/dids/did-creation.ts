import { didIdOf, didKey, didToHex, hex32Of, hexIn, RELATIONSHIPS } from '@accredit/chain'
import type { KeyKind, LedgerAction, MadeKey } from '../ledger/write/signer-door.js'
import type { StoredService } from './did.tables.js'

const { authentication, assertionMethod, capabilityInvocation, keyAgreement } = RELATIONSHIPS
/** The purposes of a key of the service. Only Ed25519 invokes capabilities: the ledger lets no other kind act. */
export const relationshipsOf: Record<KeyKind, number> = {
  Ed25519: authentication | assertionMethod | capabilityInvocation,
  Bls12381G2: assertionMethod,
  Bls12381G2Plus2022: assertionMethod,
  X25519: keyAgreement,
  BabyJubJub: assertionMethod,
  Secp256k1: authentication | assertionMethod,
  Sr25519: authentication | assertionMethod,
}

interface LedgerDidParts {
  made: MadeKey[]
  /** 32 random bytes. */
  salt: Uint8Array
  controllers: string[]
  services: StoredService[]
}

/** A ledger DID that can be used at once, and the action that will register it. */
export function ledgerDid({ made, salt, controllers, services }: LedgerDidParts) {
  const keys = made.map((key, index) => ({ ...key, keyId: index + 1, relationships: relationshipsOf[key.kind] }))
  const [first] = keys
  if (first === undefined) throw new TypeError('a DID needs a key')
  const saltHex = hex32Of(salt)
  const did = didIdOf({ kind: first.kind, publicKey: hexIn(first.publicKey) }, saltHex)
  const action: Extract<LedgerAction, { kind: 'create' }> = {
    kind: 'create',
    did,
    salt: saltHex,
    keys: keys.map(({ keyRef, kind, publicKey, relationships }) => ({ keyRef, kind, publicKey, relationships })),
    controllers,
    services,
  }
  return { did, hexDid: didToHex(did), keys, action }
}

/** Makes a did:key and its one key, which has no number. */
export function keyDid(made: MadeKey | undefined) {
  const did = made && didKey({ kind: made.kind, publicKey: hexIn(made.publicKey) })
  if (made === undefined || did === undefined) throw new TypeError('a did:key needs an Ed25519 key')
  return { did, keys: [{ ...made, keyId: 0, relationships: relationshipsOf[made.kind] }] }
}
