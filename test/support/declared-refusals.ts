import { subscribe } from 'node:diagnostics_channel'
import { afterAll, expect } from 'vitest'

/** Refusals by services in this process that their operations do not list among their errors. */
const undeclared = new Set<unknown>()
subscribe('accredit.undeclared-refusals', (refusal) => undeclared.add(refusal))

afterAll(() => {
  const found = [...undeclared]
  undeclared.clear()
  expect(found, 'refusals that the reference does not tell: list each among the errors of its operation').toEqual([])
})
