// Written by `npm run build-types` from the metadata of the runtime. Do not edit.
import type { Hex, Hex32 } from '../bytes.js'
import type { Did } from '../did.js'
import type { CallDescription } from '../plain.js'

export type Authorization = {
  readonly did: Did
  readonly keyId: number
  readonly nonce: number
  readonly validUntil: number | string
  readonly signature: Hex
}

export type DelegateOp =
  | 'Add'
  | 'Remove'

export type DelegatedUpdate =
  | { readonly Set: readonly Did[] }
  | { readonly Modify: { readonly [key: string]: DelegateOp } }

export type DidKeyInput = {
  readonly key: PublicKey
  readonly relationships: Relationships
  readonly possession: Hex | null
}

export type IssuerOp =
  | { readonly Set: { readonly [key: string]: number | string } }
  | { readonly Add: { readonly [key: string]: number | string } }
  | 'Remove'
  | { readonly Modify: { readonly [key: string]: PriceOp } }
  | 'Ensure'
  | 'Discard'

export type IssuersUpdate =
  | { readonly Set: { readonly [key: string]: { readonly [key: string]: number | string } } }
  | { readonly Modify: { readonly [key: string]: IssuerOp } }

export type KeyEntry = {
  readonly key: PublicKey
  readonly relationships: Relationships
}

export type KindInput =
  | { readonly StatusList: { readonly length: number } }
  | { readonly Accumulator: { readonly publicKey: string; readonly accumulated: string } }

export type Metadata = {
  readonly issuers: { readonly [key: string]: { readonly [key: string]: number | string } }
  readonly verifiers: readonly Did[] | null
}

export type MetadataUpdate = {
  readonly issuers: IssuersUpdate | null
  readonly verifiers: VerifiersUpdate | null
}

export type PriceOp =
  | { readonly Set: number | string }
  | { readonly Add: number | string }
  | 'Remove'

export type PublicKey =
  | { readonly Ed25519: Hex32 }
  | { readonly X25519: Hex32 }
  | { readonly BabyJubJub: Hex32 }
  | { readonly Bls12381G2: Hex }
  | { readonly Secp256k1: Hex }
  | { readonly Sr25519: Hex32 }
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
  | { readonly Set: { readonly [key: string]: Metadata } }
  | { readonly Modify: { readonly [key: string]: SchemaOp } }

export type ServiceEntry = {
  readonly id: string
  readonly serviceType: string
  readonly endpoints: readonly string[]
}

export type VerifierOp =
  | 'Add'
  | 'Remove'
  | 'Ensure'
  | 'Discard'

export type VerifiersUpdate =
  | { readonly Set: readonly Did[] }
  | { readonly Modify: { readonly [key: string]: VerifierOp } }

/** The parameters of each call as `describeCalls` tells them. */
export type DescribedCalls = {
  readonly 'did.create': {
    readonly salt: Hex32
    readonly keys: readonly KeyEntry[]
    readonly controllers: readonly Did[]
    readonly services: readonly ServiceEntry[]
    readonly signature: Hex
  }
  readonly 'did.dispatchAs': {
    readonly authorization: Authorization
    readonly calls: readonly CallDescription[]
  }
  readonly 'did.addKeys': {
    readonly did: Hex32
    readonly keys: readonly DidKeyInput[]
  }
  readonly 'did.rotateKey': {
    readonly did: Hex32
    readonly old: number
    readonly new: DidKeyInput
  }
  readonly 'did.revokeKeys': {
    readonly did: Hex32
    readonly keys: readonly number[]
  }
  readonly 'did.addControllers': {
    readonly did: Hex32
    readonly controllers: readonly Did[]
  }
  readonly 'did.removeControllers': {
    readonly did: Hex32
    readonly controllers: readonly Did[]
  }
  readonly 'did.setService': {
    readonly did: Hex32
    readonly service: ServiceEntry
  }
  readonly 'did.removeService': {
    readonly did: Hex32
    readonly id: string
  }
  readonly 'did.deactivate': {
    readonly did: Hex32
  }
  readonly 'trustRegistry.initOrUpdateTrustRegistry': {
    readonly registryId: Hex32
    readonly name: string
    readonly govFramework: string
  }
  readonly 'trustRegistry.setSchemasMetadata': {
    readonly registryId: Hex32
    readonly update: SchemasUpdate
    readonly expectedVersion: number | null
  }
  readonly 'trustRegistry.suspendIssuers': {
    readonly registryId: Hex32
    readonly issuers: readonly Did[]
  }
  readonly 'trustRegistry.unsuspendIssuers': {
    readonly registryId: Hex32
    readonly issuers: readonly Did[]
  }
  readonly 'trustRegistry.updateDelegatedIssuers': {
    readonly registryId: Hex32
    readonly delegated: DelegatedUpdate
  }
  readonly 'trustRegistry.suspendVerifiers': {
    readonly registryId: Hex32
    readonly verifiers: readonly Did[]
  }
  readonly 'trustRegistry.unsuspendVerifiers': {
    readonly registryId: Hex32
    readonly verifiers: readonly Did[]
  }
  readonly 'trustRegistry.removeTrustRegistry': {
    readonly registryId: Hex32
  }
  readonly 'trustRegistry.transferTrustRegistry': {
    readonly registryId: Hex32
    readonly newConvener: Did
  }
  readonly 'trustRegistry.acceptTrustRegistry': {
    readonly registryId: Hex32
  }
  readonly 'revocation.create': {
    readonly registryId: Hex32
    readonly policy: readonly Did[]
    readonly addOnly: boolean
    readonly kind: KindInput
  }
  readonly 'revocation.setStatus': {
    readonly registryId: Hex32
    readonly revoke: readonly number[]
    readonly unrevoke: readonly number[]
  }
  readonly 'revocation.updateAccumulator': {
    readonly registryId: Hex32
    readonly expectedVersion: number
    readonly accumulated: string
    readonly additions: readonly number[]
    readonly removals: readonly number[]
    readonly witnessUpdateInfo: string
  }
  readonly 'revocation.remove': {
    readonly registryId: Hex32
  }
}
