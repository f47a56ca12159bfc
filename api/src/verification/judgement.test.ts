import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CHECKS,
  type Finding,
  type Findings,
  failed,
  NOT_APPLICABLE,
  passed,
  unavailable,
  undecided,
  worstOf,
} from '../formats/check.js'
import {
  checksOf,
  errorOf,
  isVerified,
  judge,
  requiredOfItsCredentials,
  requiredOfPresentation,
  warningsOf,
  worstJudged,
} from './judgement.js'

const good: Findings = { structure: passed(), proof: passed(), issuerKey: passed({ block: 3 }), validity: passed() }
const verified = (findings: Findings, required: readonly (typeof CHECKS)[number][] = []) =>
  isVerified(judge(findings, new Set(required)))

describe('checks', () => {
  it('are all named, in their order, details left out', () => {
    const checks = checksOf(judge({ ...good, status: failed('revoked', 'a sentence', { block: 7 }) }))
    expect(checks.map(({ check }) => check)).toEqual(CHECKS)
    expect(checks[2]).toEqual({ check: 'issuerKey', passed: true, required: true, block: 3 })
    expect(checks[5]).toEqual({ check: 'status', passed: false, required: true, reason: 'revoked', block: 7 })
    expect(checks[9]).toEqual({ check: 'holder', passed: null, required: false })
  })

  it('verify only when every required one passed', () => {
    expect(verified(good)).toBe(true)
    expect(verified({ ...good, status: NOT_APPLICABLE })).toBe(true)
    expect(verified({ ...good, status: unavailable('x') })).toBe(false)
    for (const left of ['structure', 'proof', 'issuerKey', 'validity'] as const) {
      const { [left]: _, ...rest } = good
      expect(verified(rest)).toBe(false)
    }
  })

  it.each(['authorisedWhenIssued', 'holderBinding'] as const)(
    'warn of %s when it fails, and fail for it where it is required, also when it does not apply',
    (check) => {
      const bad = { ...good, [check]: failed('x', 'a sentence') }
      expect([verified(bad), warningsOf(judge(bad))]).toEqual([true, [expect.stringContaining('a sentence')]])
      expect([verified(bad, [check]), warningsOf(judge(bad, new Set([check])))]).toEqual([false, []])
      expect(verified({ ...good, [check]: undecided('x', 'y') }, [check])).toBe(false)
      expect(verified({ ...good, [check]: passed() }, [check])).toBe(true)
      const [missing] = checksOf(judge(good, new Set([check]))).filter((one) => one.check === check)
      expect(missing).toEqual({ check, passed: null, required: true, reason: 'not_applicable' })
    },
  )

  it('say the first failure in a sentence', () => {
    expect(errorOf(judge(good))).toBeUndefined()
    expect(errorOf(judge({ ...good, status: failed('revoked') }))).toBe('Revocation check failed: revoked')
    expect(errorOf(judge({ ...good, holderBinding: failed('x') }))).toBeUndefined()
    expect(errorOf(judge(good, new Set(['holderBinding'])))).toBe(
      'The check holderBinding is required: there is nothing to check',
    )
  })

  const finding = fc.constantFrom<Finding>(passed(), failed('x'), NOT_APPLICABLE, undecided('x', 'y'))
  const anyFindings = fc.record(Object.fromEntries(CHECKS.map((check) => [check, finding])), { requiredKeys: [] })
  const anyRequired = fc.subarray([...CHECKS]).map((checks) => new Set(checks))

  it('decide alone whether something is verified, for each of several and for all together', () => {
    fc.assert(
      fc.property(fc.array(anyFindings, { maxLength: 3 }), anyFindings, anyRequired, (credentials, own, required) => {
        const each = credentials.map((findings) => judge(findings, requiredOfItsCredentials(required)))
        const all = [...each, judge(own, requiredOfPresentation(required))]
        const worst = worstJudged(all, required)
        for (const judged of [...all, worst]) {
          const checks = checksOf(judged)
          expect(isVerified(judged)).toBe(checks.every((check) => !check.required || check.passed === true))
          expect(errorOf(judged) === undefined).toBe(isVerified(judged))
        }
        if (credentials.length > 0) expect(isVerified(worst)).toBe(all.every(isVerified))
        for (const { check, passed: top } of worst.filter((one) => one.required))
          if (top === true)
            expect(all.some((one) => one.find((own) => own.check === check)?.passed === false)).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  /** The possible outcomes of a check, from the lightest to the weightiest. */
  const bySeverity: [Finding, boolean][] = [
    [NOT_APPLICABLE, false],
    [passed(), false],
    [undecided('x', 'y'), false],
    [failed('x'), false],
    [undecided('x', 'y'), true],
    [failed('x'), true],
  ]
  it('of several results take the worst one, and are required where one of them is', () => {
    const judgedAs = ([finding, isRequired]: [Finding, boolean]) =>
      judge({ holderBinding: finding }, new Set(isRequired ? ['holderBinding'] : []))
    for (const [low, less] of bySeverity.entries())
      for (const more of bySeverity.slice(low + 1))
        for (const all of [
          [less, more],
          [more, less],
        ]) {
          const worst = worstJudged(all.map(judgedAs), new Set())
          const { passed, reason } = more[0]
          const found = worst.find(({ check }) => check === 'holderBinding')
          expect(found).toMatchObject({ passed, required: less[1] || more[1] })
          expect(found?.reason).toBe(reason)
        }
  })

  it('of several equally bad results take the first', () => {
    const [first, second] = ['x', 'y'].map((reason) => judge({ status: failed(reason) }))
    const worst = worstJudged([first ?? [], second ?? []], new Set())
    expect(worst.find(({ check }) => check === 'status')).toMatchObject({ reason: 'x' })
  })

  it('are required of the presentation itself, or of each credential in it', () => {
    expect([...requiredOfPresentation(new Set(CHECKS))]).toEqual(['holder', 'challenge'])
    expect([...requiredOfItsCredentials(new Set(CHECKS))]).toEqual(
      CHECKS.filter((check) => check !== 'holder' && check !== 'challenge'),
    )
  })

  it('are required where a request requires them, also if they were not reached', () => {
    const required = new Set(['status'] as const)
    expect(worstJudged([], required)).toEqual(judge({}, required))
    expect(worstJudged([judge(good)], required).find(({ check }) => check === 'status')).toMatchObject({
      required: true,
      reason: 'not_applicable',
    })
  })

  it('are explained in a sentence with the check and the reason', () => {
    expect(errorOf(judge({ ...good, proof: failed('x', 'y') }))).toBe('The proof check failed: y')
    const told = judge({ ...good, holderBinding: undecided('x', 'y') }, new Set(['holderBinding']))
    expect(errorOf(told)).toBe('The check holderBinding is required: y')
    expect(errorOf(judge({ ...good, proof: { passed: false } }))).toBe('The proof check failed: no reason given')
    const warned = judge({ ...good, holderBinding: undecided('x', 'y'), authorisedWhenIssued: passed() })
    expect(warningsOf(warned)).toEqual([])
  })

  it('without a decision, but with a reason, weigh more than passed ones', () => {
    const [bound, anonymous] = [passed(), undecided('anonymous', 'y')].map((holderBinding) =>
      judge({ ...good, holderBinding }),
    )
    const worst = worstJudged([bound ?? [], anonymous ?? [], judge(good)], new Set())
    expect(worst.find(({ check }) => check === 'holderBinding')).toMatchObject({ passed: null, reason: 'anonymous' })
  })
})

describe('a warning about what passed', () => {
  const deprecated: Findings = { ...good, proof: passed({ warning: 'proofs of that kind are deprecated' }) }

  it('is told, and changes nothing', () => {
    expect(isVerified(judge(deprecated))).toBe(true)
    expect(warningsOf(judge(deprecated))).toEqual(['proofs of that kind are deprecated'])
    expect(JSON.stringify(checksOf(judge(deprecated)))).not.toContain('are deprecated')
  })

  it('is told of the whole where one of several passed with it, whichever it is', () => {
    for (const all of [
      [good, deprecated],
      [deprecated, good],
    ]) {
      expect(warningsOf(judge(worstOf(all)))).toEqual(['proofs of that kind are deprecated'])
      const judged = all.map((findings) => judge(findings))
      expect(warningsOf(worstJudged(judged, new Set()))).toEqual(['proofs of that kind are deprecated'])
    }
  })

  it('does not stand where the check failed', () => {
    const failing = { ...deprecated, proof: { ...failed('x'), warning: 'w' } }
    expect(warningsOf(judge(failing))).toEqual([])
  })
})
