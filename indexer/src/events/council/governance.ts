import { on } from '../../handler'
import { accountText } from '../../text'
import * as governance from '../../types/governance/events'
import { BY_COUNCIL } from './motions'

/** Events of what the council decided, acts as root and the list of validators, and of what takes one off that list. */
export const decisions = [
  on(governance.acted, ({ callHash }, at) => {
    at.begin({ ...BY_COUNCIL, callHash })
    at.record({})
  }),
  on(governance.validatorsSet, (event, at) => {
    at.record({
      before: { validators: event.old.map(accountText) },
      after: { validators: event.new.map(accountText) },
    })
  }),
  on(governance.equivocated, ({ validator }, at) => at.record({ after: { validator: accountText(validator) } })),
]
