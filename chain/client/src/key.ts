import type { Hex } from './bytes.js'
import type { PublicKey } from './generated/calls.js'

type NamesOf<Variants> = Variants extends unknown ? keyof Variants : never

export type KeyKind = NamesOf<PublicKey>

/** The length in bytes of the public keys that a DID can hold, by kind. */
export const KEY_LENGTHS = {
  Ed25519: 32,
  X25519: 32,
  BabyJubJub: 32,
  Bls12381G2: 96,
  Secp256k1: 33,
  Sr25519: 32,
  Bls12381G2Plus2022: 96,
} as const satisfies Record<KeyKind, number>

export interface ChainKey {
  readonly kind: KeyKind
  readonly publicKey: Hex
}

/** Flags of the purposes of a key. Zero, on input only: every purpose that its kind allows. */
export const RELATIONSHIPS = {
  authentication: 1,
  assertionMethod: 2,
  capabilityInvocation: 4,
  keyAgreement: 8,
} as const

const SIGNING = RELATIONSHIPS.authentication | RELATIONSHIPS.assertionMethod | RELATIONSHIPS.capabilityInvocation

const CAPABILITIES: Readonly<Record<KeyKind, number>> = {
  Ed25519: SIGNING,
  X25519: RELATIONSHIPS.keyAgreement,
  BabyJubJub: RELATIONSHIPS.assertionMethod,
  Bls12381G2: RELATIONSHIPS.assertionMethod,
  Bls12381G2Plus2022: RELATIONSHIPS.assertionMethod,
  Secp256k1: SIGNING,
  Sr25519: SIGNING,
}

/** Returns the relationships that the ledger stores for the requested ones. */
export function resolveRelationships(kind: KeyKind, asked: number): number {
  return asked === 0 ? CAPABILITIES[kind] : asked
}

/** A key as a new DID brings it. */
export interface KeyEntry {
  readonly key: ChainKey
  readonly relationships: number
}

/** A key as an existing DID takes it up; Ed25519 keys prove that they are possessed. */
export interface KeyInput extends KeyEntry {
  /** 64 bytes: the key's own Ed25519 signature over `possessionBytes`. */
  readonly possession?: Hex
}

export interface ServiceEntry {
  readonly id: string
  readonly type: string
  readonly endpoints: readonly string[]
}
