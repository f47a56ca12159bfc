import { Refusal } from '../../start/refusal.js'
import { auditorsWalk, lastHandOver } from '../auditor.js'
import { addValidator, removeValidator } from '../validators.js'
import type { Fault } from './fault.js'
import { headsOf, untilFinalGrows, validatorsOf } from './nodes.js'
import { requireProofs, untilStandingOn } from './proofs.js'
import { secondsOf } from './waiting.js'

export const validatorsChanged: Fault = {
  name: 'validators-changed',
  does: 'adds a validator by a vote of the council, and removes another one',
  holds:
    'blocks become final with the new list, what is so now and what was so before is proved from the genesis hash, and to an auditor from the change that an earlier proof told',
  async run(trial) {
    const [first] = await validatorsOf(trial)
    if (first === undefined) throw new Refusal('There is no validator.')
    const { final: before } = await headsOf(first)
    const adding = await secondsOf(() => addValidator(trial))
    // The block of the change is no hand-over to a proof about that block itself, but to those of later ones.
    await untilFinalGrows(first)
    await untilStandingOn(trial, (await headsOf(first)).final)
    const handOver = await lastHandOver(trial)
    const validators = await validatorsOf(trial)
    // Neither the one that the product asks first nor the new one.
    const leaving = validators.at(-2)
    if (leaving === undefined) throw new Refusal('There is no validator to remove.')
    const removing = await secondsOf(() => removeValidator(trial.stateDir, leaving.name))
    const { final: after } = await headsOf(first)
    await untilFinalGrows(first)
    const proved = await requireProofs(trial, { before, after, handOvers: 2 })
    const walk = await auditorsWalk(trial, handOver)
    return `a validator after ${adding} s, none any more after ${removing} s; ${proved}; an auditor, ${walk}`
  },
}
