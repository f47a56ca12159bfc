import { on } from '../../handler'
import * as members from '../../types/council-members/events'

/** Events of changes of the council's members, which name nobody: the extrinsic does. */
export const memberChanges = [
  on(members.memberAdded, (_, at) => at.record({})),
  on(members.memberRemoved, (_, at) => at.record({})),
  on(members.membersSwapped, (_, at) => at.record({})),
  on(members.membersReset, (_, at) => at.record({})),
  on(members.keyChanged, (_, at) => at.record({})),
]
