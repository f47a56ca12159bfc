import { expect, it } from 'vitest'
import { NO_DATES } from '../../testing/dates.js'
import { type Bound, parseBound, refuseBackwards } from './history-filter.js'

const instant = (text: string): Bound => ({ instant: new Date(text) })

it.each(['from', 'to'] as const)('%s is a block of at most nine digits, or an instant', (field) => {
  expect(parseBound('0', field)).toEqual({ block: 0 })
  expect(parseBound('999999999', field)).toEqual({ block: 999_999_999 })
  expect(parseBound('2026-01-31T12:00:00-05:00', field)).toEqual(instant('2026-01-31T17:00:00Z'))
  for (const text of ['9999999999', '-1', '1.5', '1e3', '', ' ', '1 ', ...Object.values(NO_DATES)])
    expect(() => parseBound(text, field)).toThrow(`${field} must be a block number`)
})

it('a full date begins at its midnight and ends with its last millisecond', () => {
  expect(parseBound('2026-01-31', 'from')).toEqual(instant('2026-01-31T00:00:00.000Z'))
  expect(parseBound('2026-01-31', 'to')).toEqual(instant('2026-01-31T23:59:59.999Z'))
})

const [early, late] = [instant('2026-01-01T00:00:00Z'), instant('2026-01-01T00:00:00.001Z')]

it.each<[Bound | undefined, Bound | undefined]>([
  [{ block: 5 }, { block: 5 }],
  [{ block: 5 }, { block: 6 }],
  [early, early],
  [early, late],
  [{ block: 5 }, early],
  [late, { block: 0 }],
  [undefined, { block: 0 }],
  [late, undefined],
  [undefined, undefined],
])('from %o to %o there may be something', (from, to) => {
  expect(() => refuseBackwards({ ...(from && { from }), ...(to && { to }) })).not.toThrow()
})

it.each<[Bound, Bound]>([
  [{ block: 6 }, { block: 5 }],
  [late, early],
])('from %o to %o there is nothing', (from, to) => {
  const refused = expect.objectContaining({ type: 'invalid_request', message: 'from must not be later than to' })
  expect(() => refuseBackwards({ from, to })).toThrow(refused)
})
