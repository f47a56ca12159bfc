import {sts, Block, Bytes, Option, Result, EventType, RuntimeCtx} from '../support'
import * as v9 from '../v9'
import * as v10 from '../v10'

export const acted =  {
    name: 'Governance.Acted',
    /**
     * The council acts as root. The events of the call follow.
     */
    v9: new EventType(
        'Governance.Acted',
        sts.struct({
            /**
             * Hash of the call.
             */
            callHash: v9.H256,
        })
    ),
}

export const validatorsSet =  {
    name: 'Governance.ValidatorsSet',
    /**
     * The list of validators changed.
     */
    v9: new EventType(
        'Governance.ValidatorsSet',
        sts.struct({
            /**
             * The validators until now, ascending.
             */
            old: sts.array(() => v9.AccountId32),
            /**
             * The validators from now on, ascending.
             */
            new: sts.array(() => v9.AccountId32),
        })
    ),
}

export const equivocated =  {
    name: 'Governance.Equivocated',
    /**
     * A validator voted for two blocks in one round. It goes off the list, unless it is the last one.
     */
    v10: new EventType(
        'Governance.Equivocated',
        sts.struct({
            /**
             * The validator.
             */
            validator: v10.AccountId32,
        })
    ),
}
