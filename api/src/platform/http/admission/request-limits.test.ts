import { expect, test } from 'vitest'
import { readConfig } from '../../../config.js'
import { ApiError } from '../../errors.js'
import { RequestLimits } from './request-limits.js'

const START = Date.parse('2026-01-01T00:00:00Z')

function limits(env: Record<string, string>) {
  const clock = { ms: START, now: () => new Date(clock.ms) }
  const config = readConfig({ DATABASE_URL: 'postgres://x/y', ENVIRONMENT: 'production', ...env })
  const counted = new RequestLimits(config, clock)
  /** Returns the answer to a request of a key: nothing, or how many seconds to wait. */
  const request = (key: number): string | undefined => {
    try {
      counted.countCaller(`key:${key}`)
      return undefined
    } catch (error) {
      if (error instanceof ApiError && error.type === 'rate_limited') return error.headers['Retry-After']
      throw error
    }
  }
  return { clock, request }
}

test.each([1, 2, 200])('the last of %i requests in a window is answered and the next is not, for each key', (most) => {
  const { request, clock } = limits({ RATE_LIMIT_REQUESTS: String(most), RATE_LIMIT_SECONDS: '120' })
  for (let count = 1; count <= most; count++) expect(request(1)).toBeUndefined()
  expect(request(1)).toBe('120')
  expect(request(2)).toBeUndefined()
  clock.ms += 500
  expect(request(1)).toBe('120')
})

test('a client that waits as long as it was told is answered, and a millisecond earlier it is not', () => {
  const { request, clock } = limits({ RATE_LIMIT_REQUESTS: '1', RATE_LIMIT_SECONDS: '10' })
  request(1)
  clock.ms += 3000
  const seconds = Number(request(1))
  expect(seconds).toBe(7)
  clock.ms += seconds * 1000 - 1
  expect(request(1)).toBe('1')
  clock.ms += 1
  expect(request(1)).toBeUndefined()
})

test('a clock that was set back holds nobody up for longer than a window', () => {
  const { request, clock } = limits({ RATE_LIMIT_REQUESTS: '1', RATE_LIMIT_SECONDS: '10' })
  request(1)
  clock.ms -= 3_600_000
  expect(request(1)).toBeUndefined()
  expect(request(1)).toBe('10')
})

test.each([
  ['the sandbox', { ENVIRONMENT: 'sandbox', RATE_LIMIT_REQUESTS: '1' }],
  ['the setting 0', { RATE_LIMIT_REQUESTS: '0' }],
])('%s limits nobody', (_name, env) => {
  const { request } = limits(env)
  for (let count = 0; count < 500; count++) expect(request(1)).toBeUndefined()
})
