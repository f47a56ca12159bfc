import {sts, Block, Bytes, Option, Result, EventType, RuntimeCtx} from '../support'
import * as v1 from '../v1'
import * as v6 from '../v6'
import * as v7 from '../v7'

export const created =  {
    name: 'Did.Created',
    /**
     * A DID was created. The events up to the end of the call say what it holds; their actor is the new DID.
     */
    v1: new EventType(
        'Did.Created',
        sts.struct({
            /**
             * The new DID.
             */
            did: v1.DidId,
            /**
             * The account that paid.
             */
            submitter: v1.AccountId32,
        })
    ),
}

export const dispatched =  {
    name: 'Did.Dispatched',
    /**
     * A DID acts. The events of its calls follow.
     */
    v1: new EventType(
        'Did.Dispatched',
        sts.struct({
            /**
             * The DID that acts.
             */
            did: v1.Did,
            /**
             * The number of the key that signed.
             */
            keyId: sts.number(),
            /**
             * The actor's nonce from now on.
             */
            nonce: sts.number(),
            /**
             * The account that paid.
             */
            submitter: v1.AccountId32,
            /**
             * blake2-256 of the encoded list of calls.
             */
            callHash: sts.bytes(),
        })
    ),
    /**
     * A DID acts. The events of its calls follow.
     */
    v7: new EventType(
        'Did.Dispatched',
        sts.struct({
            /**
             * The DID that acts.
             */
            did: v7.Did,
            /**
             * The number of the key that signed.
             */
            keyId: sts.number(),
            /**
             * The actor's nonce from now on.
             */
            nonce: sts.number(),
            /**
             * The account that paid.
             */
            submitter: v7.AccountId32,
            /**
             * blake2-256 of the encoded list of calls.
             */
            callHash: sts.bytes(),
        })
    ),
}

export const keyAdded =  {
    name: 'Did.KeyAdded',
    /**
     * A key was added to a DID.
     */
    v1: new EventType(
        'Did.KeyAdded',
        sts.struct({
            /**
             * The DID.
             */
            did: v1.DidId,
            /**
             * The key's number, one more than that of the key before it.
             */
            keyId: sts.number(),
            /**
             * The key.
             */
            key: v1.PublicKey,
            /**
             * The key's verification relationships, as explicit flags.
             */
            relationships: v1.Relationships,
        })
    ),
    /**
     * A key was added to a DID.
     */
    v6: new EventType(
        'Did.KeyAdded',
        sts.struct({
            /**
             * The DID.
             */
            did: v6.DidId,
            /**
             * The key's number, one more than that of the key before it.
             */
            keyId: sts.number(),
            /**
             * The key.
             */
            key: v6.PublicKey,
            /**
             * The key's verification relationships, as explicit flags.
             */
            relationships: v6.Relationships,
        })
    ),
}

export const keyRetired =  {
    name: 'Did.KeyRetired',
    /**
     * A key was replaced. Its earlier signatures stay valid.
     */
    v1: new EventType(
        'Did.KeyRetired',
        sts.struct({
            /**
             * The DID.
             */
            did: v1.DidId,
            /**
             * The key's number.
             */
            keyId: sts.number(),
        })
    ),
}

export const keyRevoked =  {
    name: 'Did.KeyRevoked',
    /**
     * A key was declared compromised. None of its signatures is trusted, whenever it was made.
     */
    v1: new EventType(
        'Did.KeyRevoked',
        sts.struct({
            /**
             * The DID.
             */
            did: v1.DidId,
            /**
             * The key's number.
             */
            keyId: sts.number(),
        })
    ),
}

export const controllerAdded =  {
    name: 'Did.ControllerAdded',
    /**
     * A controller was added to a DID.
     */
    v1: new EventType(
        'Did.ControllerAdded',
        sts.struct({
            /**
             * The DID.
             */
            did: v1.DidId,
            /**
             * The DID that may change it from now on.
             */
            controller: v1.Did,
        })
    ),
    /**
     * A controller was added to a DID.
     */
    v7: new EventType(
        'Did.ControllerAdded',
        sts.struct({
            /**
             * The DID.
             */
            did: v7.DidId,
            /**
             * The DID that may change it from now on.
             */
            controller: v7.Did,
        })
    ),
}

export const controllerRemoved =  {
    name: 'Did.ControllerRemoved',
    /**
     * A controller was removed from a DID.
     */
    v1: new EventType(
        'Did.ControllerRemoved',
        sts.struct({
            /**
             * The DID.
             */
            did: v1.DidId,
            /**
             * The DID that may no longer change it.
             */
            controller: v1.Did,
        })
    ),
    /**
     * A controller was removed from a DID.
     */
    v7: new EventType(
        'Did.ControllerRemoved',
        sts.struct({
            /**
             * The DID.
             */
            did: v7.DidId,
            /**
             * The DID that may no longer change it.
             */
            controller: v7.Did,
        })
    ),
}

export const serviceSet =  {
    name: 'Did.ServiceSet',
    /**
     * A service was added or replaced.
     */
    v1: new EventType(
        'Did.ServiceSet',
        sts.struct({
            /**
             * The DID.
             */
            did: v1.DidId,
            /**
             * The service's id.
             */
            id: v1.BoundedVec,
            /**
             * The service that was replaced.
             */
            old: sts.option(() => v1.Service),
            /**
             * The service from now on.
             */
            new: v1.Service,
        })
    ),
}

export const serviceRemoved =  {
    name: 'Did.ServiceRemoved',
    /**
     * A service was removed.
     */
    v1: new EventType(
        'Did.ServiceRemoved',
        sts.struct({
            /**
             * The DID.
             */
            did: v1.DidId,
            /**
             * The service's id.
             */
            id: v1.BoundedVec,
            /**
             * The service that was removed.
             */
            old: v1.Service,
        })
    ),
}

export const deactivated =  {
    name: 'Did.Deactivated',
    /**
     * A DID was deactivated permanently. Its keys are retired; its controllers, services and nonce are gone.
     */
    v1: new EventType(
        'Did.Deactivated',
        sts.struct({
            /**
             * The DID.
             */
            did: v1.DidId,
        })
    ),
}
