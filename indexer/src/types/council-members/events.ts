import {sts, Block, Bytes, Option, Result, EventType, RuntimeCtx} from '../support'

export const memberAdded =  {
    name: 'CouncilMembers.MemberAdded',
    /**
     * The given member was added; see the transaction for who.
     */
    v9: new EventType(
        'CouncilMembers.MemberAdded',
        sts.unit()
    ),
}

export const memberRemoved =  {
    name: 'CouncilMembers.MemberRemoved',
    /**
     * The given member was removed; see the transaction for who.
     */
    v9: new EventType(
        'CouncilMembers.MemberRemoved',
        sts.unit()
    ),
}

export const membersSwapped =  {
    name: 'CouncilMembers.MembersSwapped',
    /**
     * Two members were swapped; see the transaction for who.
     */
    v9: new EventType(
        'CouncilMembers.MembersSwapped',
        sts.unit()
    ),
}

export const membersReset =  {
    name: 'CouncilMembers.MembersReset',
    /**
     * The membership was reset; see the transaction for who the new set is.
     */
    v9: new EventType(
        'CouncilMembers.MembersReset',
        sts.unit()
    ),
}

export const keyChanged =  {
    name: 'CouncilMembers.KeyChanged',
    /**
     * One of the members' keys changed.
     */
    v9: new EventType(
        'CouncilMembers.KeyChanged',
        sts.unit()
    ),
}

export const dummy =  {
    name: 'CouncilMembers.Dummy',
    /**
     * Phantom member, never used.
     */
    v9: new EventType(
        'CouncilMembers.Dummy',
        sts.unit()
    ),
}
