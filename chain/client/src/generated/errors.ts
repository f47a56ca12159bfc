// Written by `npm run build-types` from the metadata of the runtime. Do not edit.

/** Why a call is refused. */
export type ErrorName =
  /** A DID may not make one of these calls. */
  | 'Did.CallNotAllowed'
  /** There is nothing to do. */
  | 'Did.EmptyUpdate'
  /** More than 64 calls in one dispatch. */
  | 'Did.TooManyCalls'
  /** There is no such DID. */
  | 'Did.NotFound'
  /** The DID was deactivated. */
  | 'Did.Deactivated'
  /** The DID has no such key, or no longer. */
  | 'Did.KeyNotFound'
  /** The key is not Ed25519, or is for neither authentication nor capabilityInvocation. */
  | 'Did.KeyNotAuthorized'
  /** The authorisation's time is over. */
  | 'Did.Expired'
  /** The authorisation would be valid for more than an hour. */
  | 'Did.ValidTooLong'
  /** The nonce is not the one after the actor's last. */
  | 'Did.BadNonce'
  /** The signature is not the named key's over these bytes. */
  | 'Did.BadSignature'
  /** The DID exists or existed; or its service, controller or revoked key is already so. */
  | 'Did.AlreadyExists'
  /** The first key of a new DID must be Ed25519 with capabilityInvocation. */
  | 'Did.FirstKeyCannotControl'
  /** A key of this kind cannot be used so. */
  | 'Did.BadRelationships'
  /** An Ed25519 key came without a good signature of its own. */
  | 'Did.BadPossession'
  /** A controller must be another DID: an active one with a key that controls, or an Ed25519 `did:key` that is not weak. */
  | 'Did.BadController'
  /**
   * A service's id must be a fragment of a URI without its `#`, its type a name or a URI, its endpoints URIs; a text of
   * it is empty or too long, or it has no endpoint or too many.
   */
  | 'Did.BadService'
  /** More than 32 keys in use, or 1,024 numbered. */
  | 'Did.TooManyKeys'
  /** More than 8 controllers. */
  | 'Did.TooManyControllers'
  /** More than 16 services. */
  | 'Did.TooManyServices'
  /** The actor does not control the DID. */
  | 'Did.NotAuthorized'
  /** Nobody could change the DID any more. */
  | 'Did.LastControl'
  /** The DID convenes a registry. */
  | 'Did.StillConvener'
  /** The DID has no such controller. */
  | 'Did.ControllerNotFound'
  /** The DID has no such service. */
  | 'Did.ServiceNotFound'
  /** The key was revoked before. */
  | 'Did.AlreadyRevoked'
  /** A proof by this key proves nothing: it is zero, the identity or of small order. */
  | 'Did.WeakKey'
  /** There is no such registry; or the schema, issuer, verifier, price, delegate or offer that is to change. */
  | 'TrustRegistry.NotFound'
  /** The actor may not make this change. */
  | 'TrustRegistry.NotAuthorized'
  /** What is to be added is there. */
  | 'TrustRegistry.AlreadyExists'
  /** The registry was removed. */
  | 'TrustRegistry.Removed'
  /** There is nothing to do. */
  | 'TrustRegistry.EmptyUpdate'
  /** The name has more than 64 bytes. */
  | 'TrustRegistry.NameTooLong'
  /** The governance reference has more than 1,024 bytes. */
  | 'TrustRegistry.GovFrameworkTooLong'
  /** More than 1,000 changes, counting what is stored under the things that are replaced or removed. */
  | 'TrustRegistry.TooManyChanges'
  /** More than 5,000 prices in one call. */
  | 'TrustRegistry.TooManyPrices'
  /** More than 25 currencies of one issuer. */
  | 'TrustRegistry.TooManyCurrencies'
  /** A currency is not 1 to 10 of A to Z and 0 to 9. */
  | 'TrustRegistry.BadCurrency'
  /** What replaces a whole collection needs the registry's version. */
  | 'TrustRegistry.VersionRequired'
  /** The registry has another version. */
  | 'TrustRegistry.VersionMismatch'
  /** A public schema cannot carry a price. */
  | 'TrustRegistry.PublicSchemaPriced'
  /** More than 250 DIDs in one suspension call. */
  | 'TrustRegistry.TooManySuspensions'
  /** One of the DIDs is suspended. */
  | 'TrustRegistry.AlreadySuspended'
  /** One of the DIDs is not suspended. */
  | 'TrustRegistry.NotSuspended'
  /** A suspended issuer cannot change its delegates. */
  | 'TrustRegistry.Suspended'
  /** An issuer cannot delegate to itself. */
  | 'TrustRegistry.SelfDelegation'
  /** More than 16 delegates of one issuer. */
  | 'TrustRegistry.TooManyDelegates'
  /** The registry has schemas. */
  | 'TrustRegistry.SchemasLeft'
  /** The DID cannot act. */
  | 'TrustRegistry.Inactive'
  /** There is no such registry. */
  | 'Revocation.NotFound'
  /** The registry was removed. */
  | 'Revocation.Removed'
  /** The id is taken. */
  | 'Revocation.AlreadyExists'
  /** The actor is not in the policy. */
  | 'Revocation.NotAuthorized'
  /** More than 15 DIDs in a policy. */
  | 'Revocation.TooManyPolicyDids'
  /** The length or a size of this kind of registry is not allowed. */
  | 'Revocation.BadKind'
  /** More than 1,000 indexes in one call. */
  | 'Revocation.TooManyIndexes'
  /** There is nothing to do. */
  | 'Revocation.EmptyUpdate'
  /** The registry is of the other kind. */
  | 'Revocation.WrongKind'
  /** What is revoked in this registry stays revoked, and the registry stays. */
  | 'Revocation.AddOnly'
  /** An index is to be set and cleared, or a member to be added and removed, at once. */
  | 'Revocation.IndexInBoth'
  /** An index is beyond the end of the list, or of the members that an accumulator can have. */
  | 'Revocation.IndexOutOfRange'
  /** The registry has another version. */
  | 'Revocation.VersionMismatch'
  /** The new value is empty or too long, or the witness information is too long. */
  | 'Revocation.BadAccumulator'
  /** A member that is to be removed was removed before. */
  | 'Revocation.AlreadyRevoked'
