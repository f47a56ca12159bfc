import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../config.js'
import { ApiError } from '../../errors.js'
import { RequestLimits } from './request-limits.js'
import { saidLimits } from './said-limits.js'

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
  return { clock, request, counted }
}

test('each answer tells the limit, what is left of it, and when it begins anew', () => {
  const { counted, clock } = limits({ RATE_LIMIT_REQUESTS: '2', RATE_LIMIT_SECONDS: '120' })
  const first = {
    'RateLimit-Limit': '2',
    'RateLimit-Remaining': '1',
    'RateLimit-Reset': '120',
    'RateLimit-Policy': '2;w=120',
  }
  expect(counted.countCaller('key:1')).toEqual(first)
  clock.ms += 20_000
  const second = { ...first, 'RateLimit-Remaining': '0', 'RateLimit-Reset': '100' }
  expect(counted.countCaller('key:1')).toEqual(second)
  expect(() => counted.countCaller('key:1')).toThrow(
    expect.objectContaining({ headers: { ...second, 'Retry-After': '100' } }),
  )
})

test.each([
  ['sandbox', /keys are unlimited, and no plan counts \(sandbox\); 32 requests in work, 4 of one address or team/],
  ['production', /200 requests of a key in 120 seconds, plan unlimited unless a team has another; 32 requests in work/],
])('a start of %s says its limits', (ENVIRONMENT, sentence) => {
  expect(saidLimits(readConfig({ DATABASE_URL: 'postgres://x/y', ENVIRONMENT }))).toMatch(sentence)
})

test('a plan may have a limit of its own', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'accredit-plans-')), 'plans.json')
  writeFileSync(
    file,
    JSON.stringify({ default: 'small', plans: { small: { requests: 1 }, large: { requests: 3 }, free: {} } }),
  )
  const { counted } = limits({ RATE_LIMIT_REQUESTS: '2', PLANS_FILE: file })
  for (const [plan, limit] of [
    ['small', '1'],
    ['large', '3'],
    ['free', '2'],
    [null, '1'],
    ['of the past', '1'],
  ] as const)
    expect(counted.countCaller(`key:${plan}`, plan)['RateLimit-Limit'], String(plan)).toBe(limit)
})

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
