import type { EventContext, EventOrigin } from '../../event-context'
import { on } from '../../handler'
import { accountText } from '../../text'
import * as council from '../../types/council/events'

/** The origin of what the council does together. */
export const BY_COUNCIL: EventOrigin = {
  actor: 'council',
  keyId: null,
  nonce: null,
  submitter: null,
  callHash: null,
}

function byMember(account: string, callHash: string): EventOrigin {
  const actor = accountText(account)
  return { actor, keyId: null, nonce: null, submitter: actor, callHash }
}

/** Tells whether the call of a motion was the council's: an approval or an act stands before its end. */
const isByCouncil = ({ origin }: EventContext): boolean => origin.actor === BY_COUNCIL.actor

/** A member makes calls alone too. They are not the council's, and their events name nobody. */
function beginBySigner(at: EventContext, callHash: string): void {
  if (at.signer !== undefined) at.begin(byMember(at.signer, callHash))
}

/** Events of a motion: a member proposes, members vote, and whoever closes it makes the council act. */
export const motions = [
  on(council.proposed, ({ account, proposalHash, proposalIndex, threshold }, at) => {
    at.begin(byMember(account, proposalHash))
    at.record({ after: { motion: proposalIndex, threshold } })
  }),
  on(council.voted, ({ account, proposalHash, voted, yes, no }, at) => {
    at.begin(byMember(account, proposalHash))
    at.record({ after: { approves: voted, yes, no } })
  }),
  on(council.closed, ({ proposalHash, yes, no }, at) => {
    at.begin({ ...BY_COUNCIL, callHash: proposalHash })
    at.record({ after: { yes, no } })
  }),
  on(council.approved, ({ proposalHash }, at) => {
    at.begin({ ...BY_COUNCIL, callHash: proposalHash })
    at.record({})
  }),
  on(council.disapproved, ({ proposalHash }, at) => {
    at.begin({ ...BY_COUNCIL, callHash: proposalHash })
    at.record({})
  }),
  on(council.killed, ({ proposalHash }, at) => {
    at.begin({ ...BY_COUNCIL, callHash: proposalHash })
    at.record({})
  }),
  on(council.executed, ({ proposalHash, result }, at) => {
    if (isByCouncil(at)) at.begin({ ...BY_COUNCIL, callHash: proposalHash })
    else beginBySigner(at, proposalHash)
    at.record({ after: { succeeded: result.__kind === 'Ok' } })
  }),
  on(council.memberExecuted, ({ proposalHash, result }, at) => {
    beginBySigner(at, proposalHash)
    at.record({ after: { succeeded: result.__kind === 'Ok' } })
  }),
]
