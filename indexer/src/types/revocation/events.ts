import {sts, Block, Bytes, Option, Result, EventType, RuntimeCtx} from '../support'
import * as v1 from '../v1'
import * as v7 from '../v7'

export const registryCreated =  {
    name: 'Revocation.RegistryCreated',
    /**
     * A registry was created. Its version is 0, and nothing in it is revoked.
     */
    v1: new EventType(
        'Revocation.RegistryCreated',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The DIDs that may change it.
             */
            policy: sts.array(() => v1.Did),
            /**
             * Whether what is revoked stays revoked.
             */
            addOnly: sts.boolean(),
            /**
             * Its kind, with a status list's length or an accumulator's key and first value.
             */
            kind: v1.Kind,
        })
    ),
    /**
     * A registry was created. Its version is 0, and nothing in it is revoked.
     */
    v7: new EventType(
        'Revocation.RegistryCreated',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v7.H256,
            /**
             * The DIDs that may change it.
             */
            policy: sts.array(() => v7.Did),
            /**
             * Whether what is revoked stays revoked.
             */
            addOnly: sts.boolean(),
            /**
             * Its kind, with a status list's length or an accumulator's key and first value.
             */
            kind: v7.Kind,
        })
    ),
}

export const statusChanged =  {
    name: 'Revocation.StatusChanged',
    /**
     * Status bits changed. Bits that already had the value asked for are not named.
     */
    v1: new EventType(
        'Revocation.StatusChanged',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * Indexes that are revoked from now on, ascending.
             */
            revoked: sts.array(() => sts.number()),
            /**
             * Indexes that are no longer revoked, ascending.
             */
            unrevoked: sts.array(() => sts.number()),
            /**
             * The registry's version from now on.
             */
            version: sts.number(),
        })
    ),
}

export const accumulatorUpdated =  {
    name: 'Revocation.AccumulatorUpdated',
    /**
     * An accumulator has a new value.
     */
    v1: new EventType(
        'Revocation.AccumulatorUpdated',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
            /**
             * The value until now.
             */
            oldAccumulated: v1.BoundedVec,
            /**
             * The value from now on.
             */
            newAccumulated: v1.BoundedVec,
            /**
             * Members that were added, ascending.
             */
            additions: sts.array(() => sts.number()),
            /**
             * Members that were revoked, ascending.
             */
            removals: sts.array(() => sts.number()),
            /**
             * Information from which holders update their witnesses.
             */
            witnessUpdateInfo: sts.bytes(),
            /**
             * The registry's version from now on.
             */
            version: sts.number(),
        })
    ),
}

export const registryRemoved =  {
    name: 'Revocation.RegistryRemoved',
    /**
     * A registry was removed permanently.
     */
    v1: new EventType(
        'Revocation.RegistryRemoved',
        sts.struct({
            /**
             * The registry.
             */
            registryId: v1.H256,
        })
    ),
}
