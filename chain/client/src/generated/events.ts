// Written by `npm run build-types` from the metadata of the runtime. Do not edit.
import type { Hex, Hex32 } from '../bytes.js'
import type { Did } from '../did.js'

export type Currency = string

export type Kind =
  | { readonly StatusList: { readonly length: number } }
  | { readonly Accumulator: { readonly publicKey: string; readonly accumulated: string } }

export type PublicKey =
  | { readonly Ed25519: Hex32 }
  | { readonly X25519: Hex32 }
  | { readonly BabyJubJub: Hex32 }
  | { readonly Bls12381G2: Hex }
  | { readonly Secp256k1: Hex }
  | { readonly Sr25519: Hex32 }
  | { readonly Bls12381G2Plus2022: Hex }

export type Relationships = number

export type Service = {
  readonly serviceType: string
  readonly endpoints: readonly string[]
}

/** The data of each event. */
export type EventData = {
  /** A DID was created. The events up to the end of the call say what it holds; their actor is the new DID. */
  readonly 'Did.Created': {
    /** The new DID. */
    readonly did: Hex32
    /** The account that paid. */
    readonly submitter: string
  }
  /** A DID acts. The events of its calls follow. */
  readonly 'Did.Dispatched': {
    /** The DID that acts. */
    readonly did: Did
    /** The number of the key that signed. */
    readonly keyId: number
    /** The actor's nonce from now on. */
    readonly nonce: number
    /** The account that paid. */
    readonly submitter: string
    /** blake2-256 of the encoded list of calls. */
    readonly callHash: Hex32
  }
  /** A key was added to a DID. */
  readonly 'Did.KeyAdded': {
    /** The DID. */
    readonly did: Hex32
    /** The key's number, one more than that of the key before it. */
    readonly keyId: number
    /** The key. */
    readonly key: PublicKey
    /** The key's verification relationships, as explicit flags. */
    readonly relationships: Relationships
  }
  /** A key was replaced. Its earlier signatures stay valid. */
  readonly 'Did.KeyRetired': {
    /** The DID. */
    readonly did: Hex32
    /** The key's number. */
    readonly keyId: number
  }
  /** A key was declared compromised. None of its signatures is trusted, whenever it was made. */
  readonly 'Did.KeyRevoked': {
    /** The DID. */
    readonly did: Hex32
    /** The key's number. */
    readonly keyId: number
  }
  /** A controller was added to a DID. */
  readonly 'Did.ControllerAdded': {
    /** The DID. */
    readonly did: Hex32
    /** The DID that may change it from now on. */
    readonly controller: Did
  }
  /** A controller was removed from a DID. */
  readonly 'Did.ControllerRemoved': {
    /** The DID. */
    readonly did: Hex32
    /** The DID that may no longer change it. */
    readonly controller: Did
  }
  /** A service was added or replaced. */
  readonly 'Did.ServiceSet': {
    /** The DID. */
    readonly did: Hex32
    /** The service's id. */
    readonly id: string
    /** The service that was replaced. */
    readonly old: Service | null
    /** The service from now on. */
    readonly new: Service
  }
  /** A service was removed. */
  readonly 'Did.ServiceRemoved': {
    /** The DID. */
    readonly did: Hex32
    /** The service's id. */
    readonly id: string
    /** The service that was removed. */
    readonly old: Service
  }
  /** A DID was deactivated permanently. Its keys are retired; its controllers, services and nonce are gone. */
  readonly 'Did.Deactivated': {
    /** The DID. */
    readonly did: Hex32
  }
  /** A registry was created. Its version is 0. */
  readonly 'TrustRegistry.TrustRegistryInitialized': {
    /** The registry. */
    readonly registryId: Hex32
    /** Its convener. */
    readonly convener: Did
    /** Its name. */
    readonly name: string
    /** Its governance reference. */
    readonly govFramework: string
  }
  /** The name or the governance reference of a registry changed. */
  readonly 'TrustRegistry.TrustRegistryUpdated': {
    /** The registry. */
    readonly registryId: Hex32
    /** The name until now. */
    readonly oldName: string
    /** The name from now on. */
    readonly newName: string
    /** The governance reference until now. */
    readonly oldGovFramework: string
    /** The governance reference from now on. */
    readonly newGovFramework: string
  }
  /** A schema was added, without participants and not public. */
  readonly 'TrustRegistry.SchemaAdded': {
    /** The registry. */
    readonly registryId: Hex32
    /** The schema. */
    readonly schemaId: Hex32
  }
  /** A schema was removed, after its participants. */
  readonly 'TrustRegistry.SchemaRemoved': {
    /** The registry. */
    readonly registryId: Hex32
    /** The schema. */
    readonly schemaId: Hex32
  }
  /** A schema became public, or is no longer public. */
  readonly 'TrustRegistry.SchemaPublicSet': {
    /** The registry. */
    readonly registryId: Hex32
    /** The schema. */
    readonly schemaId: Hex32
    /** Whether anyone may verify the schema from now on. */
    readonly public: boolean
  }
  /** An issuer was added, was removed or got other prices. */
  readonly 'TrustRegistry.IssuerChanged': {
    /** The registry. */
    readonly registryId: Hex32
    /** The schema. */
    readonly schemaId: Hex32
    /** The issuer. */
    readonly issuer: Did
    /** Prices until now; none if it was not listed. */
    readonly old: { readonly [key: string]: number | string } | null
    /** Prices from now on; none if it is no longer listed. */
    readonly new: { readonly [key: string]: number | string } | null
  }
  /** A verifier was added or removed. */
  readonly 'TrustRegistry.VerifierChanged': {
    /** The registry. */
    readonly registryId: Hex32
    /** The schema. */
    readonly schemaId: Hex32
    /** The verifier. */
    readonly verifier: Did
    /** Whether it was listed until now. */
    readonly old: boolean
    /** Whether it is listed from now on. */
    readonly new: boolean
  }
  /** The changes of schemas between the last event of this kind and this one are one version. */
  readonly 'TrustRegistry.SchemasMetadataSet': {
    /** The registry. */
    readonly registryId: Hex32
    /** The registry's version from now on. */
    readonly version: number
  }
  /** A DID was suspended as an issuer or delegate. The suspension holds in all its roles. */
  readonly 'TrustRegistry.IssuerSuspended': {
    /** The registry. */
    readonly registryId: Hex32
    /** The DID that was suspended. */
    readonly issuer: Did
  }
  /** A suspension ended. */
  readonly 'TrustRegistry.IssuerUnsuspended': {
    /** The registry. */
    readonly registryId: Hex32
    /** The DID that is no longer suspended. */
    readonly issuer: Did
  }
  /** A DID was suspended as a verifier. The suspension holds in all its roles. */
  readonly 'TrustRegistry.VerifierSuspended': {
    /** The registry. */
    readonly registryId: Hex32
    /** The DID that was suspended. */
    readonly verifier: Did
  }
  /** A suspension ended. */
  readonly 'TrustRegistry.VerifierUnsuspended': {
    /** The registry. */
    readonly registryId: Hex32
    /** The DID that is no longer suspended. */
    readonly verifier: Did
  }
  /** An issuer named a delegate. */
  readonly 'TrustRegistry.DelegateAdded': {
    /** The registry. */
    readonly registryId: Hex32
    /** The issuer that delegates. */
    readonly issuer: Did
    /** The DID that may issue in its name. */
    readonly delegate: Did
  }
  /** A delegation ended: the issuer withdrew it, or it no longer issues any schema. */
  readonly 'TrustRegistry.DelegateRemoved': {
    /** The registry. */
    readonly registryId: Hex32
    /** The issuer that delegated. */
    readonly issuer: Did
    /** The DID that may no longer issue in its name. */
    readonly delegate: Did
  }
  /** A convener offers its registry to another DID. */
  readonly 'TrustRegistry.TransferProposed': {
    /** The registry. */
    readonly registryId: Hex32
    /** The DID to which it was offered until now. */
    readonly old: Did | null
    /** The DID to which it is offered. */
    readonly new: Did
  }
  /** A registry has a new convener. Any offer of it ended. */
  readonly 'TrustRegistry.Transferred': {
    /** The registry. */
    readonly registryId: Hex32
    /** The convener until now. */
    readonly old: Did
    /** The convener from now on. */
    readonly new: Did
  }
  /** A registry was removed permanently, after its schemas. Any offer of it ended. */
  readonly 'TrustRegistry.TrustRegistryRemoved': {
    /** The registry. */
    readonly registryId: Hex32
  }
  /** A registry was created. Its version is 0, and nothing in it is revoked. */
  readonly 'Revocation.RegistryCreated': {
    /** The registry. */
    readonly registryId: Hex32
    /** The DIDs that may change it. */
    readonly policy: readonly Did[]
    /** Whether what is revoked stays revoked. */
    readonly addOnly: boolean
    /** Its kind, with a status list's length or an accumulator's key and first value. */
    readonly kind: Kind
  }
  /** Status bits changed. Bits that already had the value asked for are not named. */
  readonly 'Revocation.StatusChanged': {
    /** The registry. */
    readonly registryId: Hex32
    /** Indexes that are revoked from now on, ascending. */
    readonly revoked: readonly number[]
    /** Indexes that are no longer revoked, ascending. */
    readonly unrevoked: readonly number[]
    /** The registry's version from now on. */
    readonly version: number
  }
  /** An accumulator has a new value. */
  readonly 'Revocation.AccumulatorUpdated': {
    /** The registry. */
    readonly registryId: Hex32
    /** The value until now. */
    readonly oldAccumulated: string
    /** The value from now on. */
    readonly newAccumulated: string
    /** Members that were added, ascending. */
    readonly additions: readonly number[]
    /** Members that were revoked, ascending. */
    readonly removals: readonly number[]
    /** Information from which holders update their witnesses. */
    readonly witnessUpdateInfo: string
    /** The registry's version from now on. */
    readonly version: number
  }
  /** A registry was removed permanently. */
  readonly 'Revocation.RegistryRemoved': {
    /** The registry. */
    readonly registryId: Hex32
  }
}
