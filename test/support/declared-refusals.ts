import { subscribe } from 'node:diagnostics_channel'
import { afterAll, expect } from 'vitest'

/** Of the refusals of all services in this process, those that their operations do not list among their errors. */
const undeclared = new Set<unknown>()
subscribe('accredit.undeclared-refusals', (refusal) => undeclared.add(refusal))

afterAll(() => {
  const found = [...undeclared]
  undeclared.clear()
  expect(found, 'refusals that the reference does not tell: list each among the errors of its operation').toEqual([])
})
