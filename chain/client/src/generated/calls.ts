// Written by `npm run build-types` from the metadata of the runtime. Do not edit.
import type { Hex, Hex32 } from '../bytes.js'

export type Authorization = {
  readonly did: Did
  readonly keyId: number
  readonly nonce: number
  readonly validUntil: number | bigint
  readonly signature: Hex
}

export type DelegateOp =
  | 'Add'
  | 'Remove'

export type DelegatedUpdate =
  | { readonly Set: readonly Did[] }
  | { readonly Modify: ReadonlyMap<Did, DelegateOp> }

export type Did =
  | { readonly Svc: Hex32 }
  | { readonly Key: DidKey }
  | { readonly Other: DidText }

export type DidKey =
  | { readonly Ed25519: Hex }
  | { readonly Secp256k1: Hex }

export type DidKeyInput = {
  readonly key: PublicKey
  readonly relationships: Relationships
  readonly possession: Hex | null
}

export type DidText = Hex

export type IssuerOp =
  | { readonly Set: ReadonlyMap<Hex, bigint> }
  | { readonly Add: ReadonlyMap<Hex, bigint> }
  | 'Remove'
  | { readonly Modify: ReadonlyMap<Hex, PriceOp> }
  | 'Ensure'
  | 'Discard'

export type IssuersUpdate =
  | { readonly Set: ReadonlyMap<Did, ReadonlyMap<Hex, bigint>> }
  | { readonly Modify: ReadonlyMap<Did, IssuerOp> }

export type KeyEntry = {
  readonly key: PublicKey
  readonly relationships: Relationships
}

export type KindInput =
  | { readonly StatusList: { readonly length: number } }
  | { readonly Accumulator: { readonly publicKey: Hex; readonly accumulated: Hex } }

export type Metadata = {
  readonly issuers: ReadonlyMap<Did, ReadonlyMap<Hex, bigint>>
  readonly verifiers: readonly Did[] | null
}

export type MetadataUpdate = {
  readonly issuers: IssuersUpdate | null
  readonly verifiers: VerifiersUpdate | null
}

export type PriceOp =
  | { readonly Set: bigint }
  | { readonly Add: bigint }
  | 'Remove'

export type PublicKey =
  | { readonly Ed25519: Hex }
  | { readonly X25519: Hex }
  | { readonly BabyJubJub: Hex }
  | { readonly Bls12381G2: Hex }
  | { readonly Secp256k1: Hex }
  | { readonly Sr25519: Hex }
  | { readonly Bls12381G2Plus2022: Hex }

export type Relationships = number

export type SchemaOp =
  | { readonly Set: Metadata }
  | { readonly Add: Metadata }
  | 'Remove'
  | { readonly Modify: MetadataUpdate }
  | { readonly Ensure: MetadataUpdate }
  | 'Discard'

export type SchemasUpdate =
  | { readonly Set: ReadonlyMap<Hex32, Metadata> }
  | { readonly Modify: ReadonlyMap<Hex32, SchemaOp> }

export type ServiceEntry = {
  readonly id: Hex
  readonly serviceType: Hex
  readonly endpoints: readonly Hex[]
}

export type VerifierOp =
  | 'Add'
  | 'Remove'
  | 'Ensure'
  | 'Discard'

export type VerifiersUpdate =
  | { readonly Set: readonly Did[] }
  | { readonly Modify: ReadonlyMap<Did, VerifierOp> }

/** The parameters of each call, in their order. */
export type CallParameters = {
  /** Creates a DID. Its id follows from its first key and the salt. The first key signs the creation. */
  readonly 'did.create': readonly [salt: Hex, keys: readonly KeyEntry[], controllers: readonly Did[], services: readonly ServiceEntry[], signature: Hex]
  /** Makes calls as a DID, in order. Either all of them take effect or none. */
  readonly 'did.dispatchAs': readonly [authorization: Authorization, calls: readonly Uint8Array[]]
  /** Adds keys to a DID. An Ed25519 key needs a proof of its possession. */
  readonly 'did.addKeys': readonly [did: Hex32, keys: readonly DidKeyInput[]]
  /** Replaces a key of a DID. Earlier signatures by the old key stay valid. */
  readonly 'did.rotateKey': readonly [did: Hex32, old: number, new: DidKeyInput]
  /** Declares keys compromised, in use or retired. None of their signatures is trusted, whenever it was made. */
  readonly 'did.revokeKeys': readonly [did: Hex32, keys: readonly number[]]
  /** Adds controllers: other DIDs that may change this one. */
  readonly 'did.addControllers': readonly [did: Hex32, controllers: readonly Did[]]
  /** Removes controllers, which may then no longer change this DID. */
  readonly 'did.removeControllers': readonly [did: Hex32, controllers: readonly Did[]]
  /** Adds or replaces a service of a DID. */
  readonly 'did.setService': readonly [did: Hex32, service: ServiceEntry]
  /** Removes a service of a DID. */
  readonly 'did.removeService': readonly [did: Hex32, id: Hex]
  /** Deactivates a DID permanently. */
  readonly 'did.deactivate': readonly [did: Hex32]
  /**
   * Creates a registry, or changes its name and governance reference.
   *
   * The actor that creates a registry becomes its convener. Only the convener may change these two later.
   */
  readonly 'trustRegistry.initOrUpdateTrustRegistry': readonly [registryId: Hex32, name: Hex, govFramework: Hex]
  /**
   * Changes schemas and their issuers and verifiers. If one change is refused, so is the whole update.
   * `expected_version` is required if a whole collection is replaced, and checked whenever it is given.
   */
  readonly 'trustRegistry.setSchemasMetadata': readonly [registryId: Hex32, update: SchemasUpdate, expectedVersion: number | null]
  /** Suspends issuers and delegates, in all their roles. Convener only. */
  readonly 'trustRegistry.suspendIssuers': readonly [registryId: Hex32, issuers: readonly Did[]]
  /** Ends suspensions. Convener only. */
  readonly 'trustRegistry.unsuspendIssuers': readonly [registryId: Hex32, issuers: readonly Did[]]
  /** Changes the actor's delegates. Issuers only. */
  readonly 'trustRegistry.updateDelegatedIssuers': readonly [registryId: Hex32, delegated: DelegatedUpdate]
  /** Suspends verifiers, in all their roles. Convener only. */
  readonly 'trustRegistry.suspendVerifiers': readonly [registryId: Hex32, verifiers: readonly Did[]]
  /** Ends suspensions. Convener only. */
  readonly 'trustRegistry.unsuspendVerifiers': readonly [registryId: Hex32, verifiers: readonly Did[]]
  /** Removes a registry permanently. It must have no schemas. Convener only. */
  readonly 'trustRegistry.removeTrustRegistry': readonly [registryId: Hex32]
  /** Offers a registry to another DID. Convener only; root hands it over at once. */
  readonly 'trustRegistry.transferTrustRegistry': readonly [registryId: Hex32, newConvener: Did]
  /** Takes over a registry that was offered to the actor. */
  readonly 'trustRegistry.acceptTrustRegistry': readonly [registryId: Hex32]
  /** Creates a registry. The actor must be in its policy. */
  readonly 'revocation.create': readonly [registryId: Hex32, policy: readonly Did[], addOnly: boolean, kind: KindInput]
  /** Sets and clears status bits: revokes and unrevokes indexes. */
  readonly 'revocation.setStatus': readonly [registryId: Hex32, revoke: readonly number[], unrevoke: readonly number[]]
  /**
   * Gives an accumulator a new value, with the members that it adds and removes.
   *
   * An update names the version that it follows, so that no two updates start from the same value.
   */
  readonly 'revocation.updateAccumulator': readonly [registryId: Hex32, expectedVersion: number, accumulated: Hex, additions: readonly number[], removals: readonly number[], witnessUpdateInfo: Hex]
  /** Removes a registry permanently. */
  readonly 'revocation.remove': readonly [registryId: Hex32]
}
