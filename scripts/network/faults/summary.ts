import { Refusal } from '../../start/refusal.js'
import type { Fault } from './fault.js'

/** The end of a fault: it happened and all held, or this machine lacks what it needs. */
export interface Outcome {
  hasRun: boolean
  told: string
}

/** The same with the name of the fault. */
export type Told = Outcome & Pick<Fault, 'name'>

/**
 * Says how many faults passed and which did not happen, in the last line of a trial.
 *
 * @param mayLeaveOut true where a fault that did not happen is no failure
 */
export function summaryOf(outcomes: readonly Told[], mayLeaveOut: boolean): string {
  const leftOut = outcomes.filter(({ hasRun }) => !hasRun).map(({ name }) => name)
  const passed = `${outcomes.length - leftOut.length} of ${outcomes.length} faults passed`
  if (leftOut.length === 0) return `${passed}.`
  const told = `${passed}, not run: ${leftOut.join(', ')}.`
  if (!mayLeaveOut) throw new Refusal(`${told} That is a failure without --allow-not-run.`)
  return told
}
