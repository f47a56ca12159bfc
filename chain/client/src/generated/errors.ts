// Written by `npm run build-types` from the metadata of the runtime. Do not edit.

/** Why a call is refused. */
export type ErrorName =
  /** One of the calls is not among those that a DID may make. */
  | 'Did.CallNotAllowed'
  /** There is nothing to do. */
  | 'Did.EmptyUpdate'
  /** More than 64 calls in one dispatch. */
  | 'Did.TooManyCalls'
  /** There is no such DID. */
  | 'Did.NotFound'
  /** The DID was deactivated. */
  | 'Did.Deactivated'
  /** The DID has no such key, or has it no longer. */
  | 'Did.KeyNotFound'
  /** The key is not Ed25519, or is for neither authentication nor capabilityInvocation. */
  | 'Did.KeyNotAuthorized'
  /** The authorisation has expired. */
  | 'Did.Expired'
  /** The authorisation would be valid for more than an hour. */
  | 'Did.ValidTooLong'
  /** The nonce is not the actor's last nonce plus one. */
  | 'Did.BadNonce'
  /** The signature was not made by the named key over these bytes. */
  | 'Did.BadSignature'
  /** The DID exists or existed, or it has this service or controller already. */
  | 'Did.AlreadyExists'
  /** The first key of a new DID must be Ed25519 with capabilityInvocation. */
  | 'Did.FirstKeyCannotControl'
  /** A key of this kind cannot be used for what is asked. */
  | 'Did.BadRelationships'
  /** An Ed25519 key comes without a valid signature of its own that proves possession. */
  | 'Did.BadPossession'
  /**
   * A controller must be another DID: an active one with a key that controls, or an Ed25519 `did:key` that is
   * not weak.
   */
  | 'Did.BadController'
  /**
   * A service's id must be the fragment of a URI without its `#`, its type a name or a URI, and its endpoints 1
   * to 8 URIs; each of these texts must have 1 to 256 bytes.
   */
  | 'Did.BadService'
  /** More than 32 keys in use, or more than 1,024 in the life of the DID. */
  | 'Did.TooManyKeys'
  /** More than 8 controllers. */
  | 'Did.TooManyControllers'
  /** More than 16 services. */
  | 'Did.TooManyServices'
  /** The actor does not control the DID. */
  | 'Did.NotAuthorized'
  /** After the call nobody could change the DID any more. */
  | 'Did.LastControl'
  /** The DID still convenes a trust registry. */
  | 'Did.StillConvener'
  /** The DID has no such controller. */
  | 'Did.ControllerNotFound'
  /** The DID has no such service. */
  | 'Did.ServiceNotFound'
  /** The key is revoked already. */
  | 'Did.AlreadyRevoked'
  /** The key is zero, the identity or of small order, so a proof by it proves nothing. */
  | 'Did.WeakKey'
  /** There is no such registry, or no such schema, issuer, verifier, price, delegate or offer in it. */
  | 'TrustRegistry.NotFound'
  /** The actor may not make this change. */
  | 'TrustRegistry.NotAuthorized'
  /**
   * The schema, issuer, verifier, price or delegate to be added is there already, or the DID convenes the
   * registry already.
   */
  | 'TrustRegistry.AlreadyExists'
  /** The registry was removed. */
  | 'TrustRegistry.Removed'
  /** There is nothing to do. */
  | 'TrustRegistry.EmptyUpdate'
  /** The name has more than 256 bytes. */
  | 'TrustRegistry.NameTooLong'
  /** The governance reference has more than 1,024 bytes. */
  | 'TrustRegistry.GovFrameworkTooLong'
  /** More than 1,000 changes, counting everything stored under what is replaced or removed. */
  | 'TrustRegistry.TooManyChanges'
  /** More than 5,000 prices in one call. */
  | 'TrustRegistry.TooManyPrices'
  /** More than 25 currencies of one issuer. */
  | 'TrustRegistry.TooManyCurrencies'
  /** A currency's symbol is not 1 to 10 characters of A to Z and 0 to 9. */
  | 'TrustRegistry.BadCurrency'
  /** An update that replaces a whole collection needs the registry's version. */
  | 'TrustRegistry.VersionRequired'
  /** The registry's version is not the expected one. */
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
  /** The registry still has schemas. */
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
  /** The registry is add-only: what is revoked stays revoked, and the registry cannot be removed. */
  | 'Revocation.AddOnly'
  /** One call cannot both revoke and unrevoke an index, or both add and remove a member. */
  | 'Revocation.IndexInBoth'
  /** An index is beyond the end of the list, or of the members that an accumulator can have. */
  | 'Revocation.IndexOutOfRange'
  /** The registry's version is not the expected one. */
  | 'Revocation.VersionMismatch'
  /** The new value is empty or too long, or the witness information is too long. */
  | 'Revocation.BadAccumulator'
  /** A member to be removed is removed already. */
  | 'Revocation.AlreadyRevoked'
