import {
  CHECKS,
  type Check,
  type CheckName,
  type Finding,
  type Findings,
  failed,
  NOT_APPLICABLE,
} from '../formats/check.js'

/** A finding, and whether what was looked at stands or falls with it. */
export interface Judgement extends Finding {
  check: CheckName
  required: boolean
}

/** All checks in their order. */
export type Judged = readonly Judgement[]

/** The checks that a request requires beyond those always required. */
export type Required = ReadonlySet<CheckName>

export const NOTHING_MORE: Required = new Set()

/** The checks that always apply: one that was not reached counts as failed. */
const NEVER_NULL: Required = new Set(['structure', 'proof', 'issuerKey', 'validity'])

/** Checks that warn, and count only where a request requires them. */
const WARNINGS: Required = new Set(['authorisedWhenIssued', 'holderBinding'])

/** Checks of the presentation itself; the others concern each of its credentials. */
const OF_PRESENTATION: Required = new Set(['holder', 'challenge'])

/** Selects the checks that a request requires of the presentation itself; below, of each credential in it. */
export const requiredOfPresentation = (required: Required): Required =>
  new Set([...required].filter((check) => OF_PRESENTATION.has(check)))
export const requiredOfItsCredentials = (required: Required): Required =>
  new Set([...required].filter((check) => !OF_PRESENTATION.has(check)))

/** @param required checks that must pass in any case; those always required must pass where they apply */
export const judge = (findings: Findings, required: Required = NOTHING_MORE): Judged =>
  CHECKS.map((check) => {
    const finding = findings[check] ?? (NEVER_NULL.has(check) ? failed('not_checked') : NOT_APPLICABLE)
    const applies = finding.passed !== null && !WARNINGS.has(check)
    return judgement(check, finding, NEVER_NULL.has(check) || applies || required.has(check))
  })

function judgement(check: CheckName, finding: Finding, required: boolean): Judgement {
  const isMissing = required && finding.passed === null && finding.reason === undefined
  return {
    ...finding,
    check,
    required,
    ...(isMissing && { reason: 'not_applicable', detail: 'there is nothing to check' }),
  }
}

const isRefusal = ({ required, passed }: Judgement): boolean => required && passed !== true

/** Tells whether every required check passed. */
export const isVerified = (judged: Judged): boolean => !judged.some(isRefusal)

/** Returns the first required check that did not pass, as a sentence. */
export function errorOf(judged: Judged): string | undefined {
  const refusal = judged.find(isRefusal)
  return refusal && sentence(refusal)
}

/** Returns a sentence for each check that failed without being required, or passed with a warning. */
export const warningsOf = (judged: Judged): string[] =>
  judged.flatMap((one) => {
    if (one.passed && one.warning !== undefined) return [one.warning]
    return !one.required && one.passed === false ? [sentence(one)] : []
  })

/** Returns the checks as they are answered. */
export const checksOf = (judged: Judged): Check[] =>
  judged.map(({ detail: _detail, warning: _warning, isPending: _isPending, check, passed, required, ...more }) => ({
    check,
    passed,
    required,
    ...more,
  }))

/** Returns the worst of several judgements for each check; a check that one requires is required of all together. */
export const worstJudged = (all: readonly Judged[], required: Required): Judged =>
  judge({}, required).map((nothing) => {
    const found = all.flatMap((judged) => judged.filter(({ check }) => check === nothing.check))
    const worst = found.reduce((worst, one) => (severity(one) > severity(worst) ? one : worst), found[0] ?? nothing)
    return judgement(worst.check, worst, nothing.required || found.some((one) => one.required))
  })

/** Ranks a judgement: a reason or a warning says more than a pass elsewhere, and a pass more than what does not apply. */
function severity(one: Judgement): number {
  if (isRefusal(one)) return one.passed === false ? 6 : 5
  if (one.passed === null) return one.reason === undefined ? 0 : 3
  if (!one.passed) return 4
  return one.warning === undefined ? 1 : 2
}

const SENTENCES: Record<CheckName, string> = {
  structure: 'The document is not a verifiable credential or presentation',
  proof: 'The proof check failed',
  issuerKey: 'The key check failed',
  validity: 'The validity check failed',
  schema: 'The schema check failed',
  status: 'Revocation check failed',
  issuerAuthorised: 'The issuer is not authorised',
  authorisedWhenIssued: 'The issuer was not authorised when it issued',
  verifierPermitted: 'The verifier has no permission for this credential',
  holder: 'The holder check failed',
  holderBinding: 'The holder is not the subject',
  challenge: 'The challenge check failed',
  delegation: 'The delegation check failed',
}

const sentence = ({ check, passed, detail, reason }: Judgement): string =>
  `${passed === null ? `The check ${check} is required` : SENTENCES[check]}: ${detail ?? reason ?? 'no reason given'}`
