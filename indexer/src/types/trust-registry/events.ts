import {sts, Block, Bytes, Option, Result, EventType, RuntimeCtx} from '../support'
import * as v1 from '../v1'
import * as v7 from '../v7'

export const trustRegistryInitialized =  {
    name: 'TrustRegistry.TrustRegistryInitialized',
    /**
     * A registry was created. Its version is 0.
     */
    v1: new EventType(
        'TrustRegistry.TrustRegistryInitialized',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * Its convener.
             */
            convener: v1.Did,
            /**
             * Its name.
             */
            name: v1.BoundedVec,
            /**
             * Its governance reference.
             */
            govFramework: sts.bytes(),
        })
    ),
    /**
     * A registry was created. Its version is 0.
     */
    v7: new EventType(
        'TrustRegistry.TrustRegistryInitialized',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * Its convener.
             */
            convener: v7.Did,
            /**
             * Its name.
             */
            name: sts.bytes(),
            /**
             * Its governance reference.
             */
            govFramework: sts.bytes(),
        })
    ),
}

export const trustRegistryUpdated =  {
    name: 'TrustRegistry.TrustRegistryUpdated',
    /**
     * The name or the governance reference of a registry changed.
     */
    v1: new EventType(
        'TrustRegistry.TrustRegistryUpdated',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The name until now.
             */
            oldName: v1.BoundedVec,
            /**
             * The name from now on.
             */
            newName: v1.BoundedVec,
            /**
             * The governance reference until now.
             */
            oldGovFramework: sts.bytes(),
            /**
             * The governance reference from now on.
             */
            newGovFramework: sts.bytes(),
        })
    ),
}

export const schemaAdded =  {
    name: 'TrustRegistry.SchemaAdded',
    /**
     * A schema was added, without participants and not public.
     */
    v1: new EventType(
        'TrustRegistry.SchemaAdded',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The schema.
             */
            schemaId: v1.H256,
        })
    ),
}

export const schemaRemoved =  {
    name: 'TrustRegistry.SchemaRemoved',
    /**
     * A schema was removed, after its participants.
     */
    v1: new EventType(
        'TrustRegistry.SchemaRemoved',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The schema.
             */
            schemaId: v1.H256,
        })
    ),
}

export const schemaPublicSet =  {
    name: 'TrustRegistry.SchemaPublicSet',
    /**
     * A schema became public, or is no longer public.
     */
    v1: new EventType(
        'TrustRegistry.SchemaPublicSet',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The schema.
             */
            schemaId: v1.H256,
            /**
             * Whether anyone may verify the schema from now on.
             */
            public: sts.boolean(),
        })
    ),
}

export const issuerChanged =  {
    name: 'TrustRegistry.IssuerChanged',
    /**
     * An issuer was added, was removed or got other prices.
     */
    v1: new EventType(
        'TrustRegistry.IssuerChanged',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The schema.
             */
            schemaId: v1.H256,
            /**
             * The issuer.
             */
            issuer: v1.Did,
            /**
             * Prices until now; none if it was not listed.
             */
            old: sts.option(() => sts.array(() => sts.tuple(() => [v1.Currency, sts.bigint()]))),
            /**
             * Prices from now on; none if it is no longer listed.
             */
            new: sts.option(() => sts.array(() => sts.tuple(() => [v1.Currency, sts.bigint()]))),
        })
    ),
    /**
     * An issuer was added, was removed or got other prices.
     */
    v7: new EventType(
        'TrustRegistry.IssuerChanged',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The schema.
             */
            schemaId: v7.H256,
            /**
             * The issuer.
             */
            issuer: v7.Did,
            /**
             * Prices until now; none if it was not listed.
             */
            old: sts.option(() => sts.array(() => sts.tuple(() => [v7.Currency, sts.bigint()]))),
            /**
             * Prices from now on; none if it is no longer listed.
             */
            new: sts.option(() => sts.array(() => sts.tuple(() => [v7.Currency, sts.bigint()]))),
        })
    ),
}

export const verifierChanged =  {
    name: 'TrustRegistry.VerifierChanged',
    /**
     * A verifier was added or removed.
     */
    v1: new EventType(
        'TrustRegistry.VerifierChanged',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The schema.
             */
            schemaId: v1.H256,
            /**
             * The verifier.
             */
            verifier: v1.Did,
            /**
             * Whether it was listed until now.
             */
            old: sts.boolean(),
            /**
             * Whether it is listed from now on.
             */
            new: sts.boolean(),
        })
    ),
    /**
     * A verifier was added or removed.
     */
    v7: new EventType(
        'TrustRegistry.VerifierChanged',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The schema.
             */
            schemaId: v7.H256,
            /**
             * The verifier.
             */
            verifier: v7.Did,
            /**
             * Whether it was listed until now.
             */
            old: sts.boolean(),
            /**
             * Whether it is listed from now on.
             */
            new: sts.boolean(),
        })
    ),
}

export const schemasMetadataSet =  {
    name: 'TrustRegistry.SchemasMetadataSet',
    /**
     * The changes of schemas between the last event of this kind and this one are one version.
     */
    v1: new EventType(
        'TrustRegistry.SchemasMetadataSet',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The registry's version from now on.
             */
            version: sts.number(),
        })
    ),
}

export const issuerSuspended =  {
    name: 'TrustRegistry.IssuerSuspended',
    /**
     * A DID was suspended as an issuer or delegate. The suspension holds in all its roles.
     */
    v1: new EventType(
        'TrustRegistry.IssuerSuspended',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The DID that was suspended.
             */
            issuer: v1.Did,
        })
    ),
    /**
     * A DID was suspended as an issuer or delegate. The suspension holds in all its roles.
     */
    v7: new EventType(
        'TrustRegistry.IssuerSuspended',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The DID that was suspended.
             */
            issuer: v7.Did,
        })
    ),
}

export const issuerUnsuspended =  {
    name: 'TrustRegistry.IssuerUnsuspended',
    /**
     * A suspension ended.
     */
    v1: new EventType(
        'TrustRegistry.IssuerUnsuspended',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The DID that is no longer suspended.
             */
            issuer: v1.Did,
        })
    ),
    /**
     * A suspension ended.
     */
    v7: new EventType(
        'TrustRegistry.IssuerUnsuspended',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The DID that is no longer suspended.
             */
            issuer: v7.Did,
        })
    ),
}

export const verifierSuspended =  {
    name: 'TrustRegistry.VerifierSuspended',
    /**
     * A DID was suspended as a verifier. The suspension holds in all its roles.
     */
    v1: new EventType(
        'TrustRegistry.VerifierSuspended',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The DID that was suspended.
             */
            verifier: v1.Did,
        })
    ),
    /**
     * A DID was suspended as a verifier. The suspension holds in all its roles.
     */
    v7: new EventType(
        'TrustRegistry.VerifierSuspended',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The DID that was suspended.
             */
            verifier: v7.Did,
        })
    ),
}

export const verifierUnsuspended =  {
    name: 'TrustRegistry.VerifierUnsuspended',
    /**
     * A suspension ended.
     */
    v1: new EventType(
        'TrustRegistry.VerifierUnsuspended',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The DID that is no longer suspended.
             */
            verifier: v1.Did,
        })
    ),
    /**
     * A suspension ended.
     */
    v7: new EventType(
        'TrustRegistry.VerifierUnsuspended',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The DID that is no longer suspended.
             */
            verifier: v7.Did,
        })
    ),
}

export const delegateAdded =  {
    name: 'TrustRegistry.DelegateAdded',
    /**
     * An issuer named a delegate.
     */
    v1: new EventType(
        'TrustRegistry.DelegateAdded',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The issuer that delegates.
             */
            issuer: v1.Did,
            /**
             * The DID that may issue in its name.
             */
            delegate: v1.Did,
        })
    ),
    /**
     * An issuer named a delegate.
     */
    v7: new EventType(
        'TrustRegistry.DelegateAdded',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The issuer that delegates.
             */
            issuer: v7.Did,
            /**
             * The DID that may issue in its name.
             */
            delegate: v7.Did,
        })
    ),
}

export const delegateRemoved =  {
    name: 'TrustRegistry.DelegateRemoved',
    /**
     * A delegation ended: the issuer withdrew it, or it no longer issues any schema.
     */
    v1: new EventType(
        'TrustRegistry.DelegateRemoved',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The issuer that delegated.
             */
            issuer: v1.Did,
            /**
             * The DID that may no longer issue in its name.
             */
            delegate: v1.Did,
        })
    ),
    /**
     * A delegation ended: the issuer withdrew it, or it no longer issues any schema.
     */
    v7: new EventType(
        'TrustRegistry.DelegateRemoved',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The issuer that delegated.
             */
            issuer: v7.Did,
            /**
             * The DID that may no longer issue in its name.
             */
            delegate: v7.Did,
        })
    ),
}

export const transferProposed =  {
    name: 'TrustRegistry.TransferProposed',
    /**
     * A convener offers its registry to another DID.
     */
    v1: new EventType(
        'TrustRegistry.TransferProposed',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The DID to which it was offered until now.
             */
            old: sts.option(() => v1.Did),
            /**
             * The DID to which it is offered.
             */
            new: v1.Did,
        })
    ),
    /**
     * A convener offers its registry to another DID.
     */
    v7: new EventType(
        'TrustRegistry.TransferProposed',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The DID to which it was offered until now.
             */
            old: sts.option(() => v7.Did),
            /**
             * The DID to which it is offered.
             */
            new: v7.Did,
        })
    ),
}

export const transferred =  {
    name: 'TrustRegistry.Transferred',
    /**
     * A registry has a new convener. Any offer of it ended.
     */
    v1: new EventType(
        'TrustRegistry.Transferred',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The convener until now.
             */
            old: v1.Did,
            /**
             * The convener from now on.
             */
            new: v1.Did,
        })
    ),
    /**
     * A registry has a new convener. Any offer of it ended.
     */
    v7: new EventType(
        'TrustRegistry.Transferred',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The convener until now.
             */
            old: v7.Did,
            /**
             * The convener from now on.
             */
            new: v7.Did,
        })
    ),
}

export const trustRegistryRemoved =  {
    name: 'TrustRegistry.TrustRegistryRemoved',
    /**
     * A registry was removed permanently, after its schemas. Any offer of it ended.
     */
    v1: new EventType(
        'TrustRegistry.TrustRegistryRemoved',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
        })
    ),
}
