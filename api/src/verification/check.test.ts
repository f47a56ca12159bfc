import { describe, expect, it } from 'vitest'
import {
  CHECKS,
  checksOf,
  errorOf,
  type Findings,
  failed,
  isVerified,
  NOT_APPLICABLE,
  passed,
  unavailable,
  worstOf,
} from './check.js'

const good: Findings = { structure: passed(), proof: passed(), issuerKey: passed({ block: 3 }), validity: passed() }

describe('checks', () => {
  it('are all named, in their order, details left out', () => {
    const checks = checksOf({ ...good, status: failed('revoked', 'a sentence', { block: 7 }) })
    expect(checks.map(({ check }) => check)).toEqual(CHECKS)
    expect(checks[2]).toEqual({ check: 'issuerKey', passed: true, block: 3 })
    expect(checks[5]).toEqual({ check: 'status', passed: false, reason: 'revoked', block: 7 })
    expect(checks[8]).toEqual({ check: 'holder', passed: null })
  })

  it('verify only when nothing failed and nothing that always applies was left out', () => {
    expect(isVerified(good)).toBe(true)
    expect(isVerified({ ...good, status: NOT_APPLICABLE })).toBe(true)
    expect(isVerified({ ...good, status: unavailable('x') })).toBe(false)
    for (const left of ['structure', 'proof', 'issuerKey', 'validity'] as const) {
      const { [left]: _, ...rest } = good
      expect(isVerified(rest)).toBe(false)
    }
  })

  it('say the first failure in a sentence', () => {
    expect(errorOf(good)).toBeUndefined()
    expect(errorOf({ ...good, status: failed('revoked') })).toBe('Revocation check failed: revoked')
  })

  it('of several are the worst of each', () => {
    const worst = worstOf([
      good,
      { ...good, status: passed(), proof: failed('x') },
      { ...good, status: NOT_APPLICABLE, proof: failed('y') },
    ])
    expect(worst.proof).toEqual(failed('x'))
    expect(worst.status).toEqual(passed())
    expect(worst.validity).toEqual(passed())
  })
})
