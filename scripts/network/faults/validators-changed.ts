import { Refusal } from '../../start/refusal.js'
import { addValidator, removeValidator } from '../validators.js'
import type { Fault } from './fault.js'
import { untilFinalGrows, validatorsOf } from './nodes.js'
import { secondsOf } from './waiting.js'

export const validatorsChanged: Fault = {
  name: 'validators-changed',
  does: 'adds a validator by a vote of the council, and removes another one',
  holds: 'blocks become final with the new list',
  async run(trial) {
    const adding = await secondsOf(() => addValidator(trial))
    const validators = await validatorsOf(trial)
    // Neither the one that the product asks first nor the new one.
    const leaving = validators.at(-2)
    if (leaving === undefined) throw new Refusal('There is no validator to remove.')
    const removing = await secondsOf(() => removeValidator(trial.stateDir, leaving.name))
    const [first] = await validatorsOf(trial)
    if (first) await untilFinalGrows(first)
    return `a validator after ${adding} s, none any more after ${removing} s`
  },
}
