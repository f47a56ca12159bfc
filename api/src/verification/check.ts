/** What is looked at, in the order in which it is answered. */
export const CHECKS = [
  'structure',
  'proof',
  'issuerKey',
  'validity',
  'schema',
  'status',
  'issuerAuthorised',
  'verifierPermitted',
  'holder',
  'challenge',
  'delegation',
] as const

export type CheckName = (typeof CHECKS)[number]

/** What one check found. null: it was not asked for, or does not apply. */
export interface Finding {
  passed: boolean | null
  /** A word for programs. */
  reason?: string
  /** A sentence for people. */
  detail?: string
  /** The block whose state was looked at. */
  block?: number
  /** ISO 8601: since when it is so, */
  since?: string
  /** and by which event of the ledger; */
  event?: string
  /** why, since when and by which event, in one sentence. */
  explanation?: string
  /** The issuer that delegated. */
  via?: string
  /** What is missing is on its way to the index: it may be there a moment later. */
  isPending?: true
}

export type Findings = Partial<Record<CheckName, Finding>>

export interface Check {
  check: CheckName
  passed: boolean | null
  reason?: string
  block?: number
  since?: string
  event?: string
  explanation?: string
  via?: string
}

export const passed = (more: Omit<Finding, 'passed'> = {}): Finding => ({ passed: true, ...more })
export const failed = (
  reason: string,
  detail?: string,
  more: Pick<Finding, 'block' | 'since' | 'event' | 'explanation'> = {},
): Finding => ({
  passed: false,
  reason,
  ...(detail !== undefined && { detail }),
  ...more,
})
export const NOT_APPLICABLE: Finding = { passed: null }

/** It applied, and nobody could look: that is a failure. */
export const unavailable = (detail: string): Finding => failed('unavailable', detail)

/** Our own store knows it, the index does not yet. */
export const pending = (detail: string): Finding => ({ ...unavailable(detail), isPending: true })

/** Whether a moment later the answer may be another one. */
export const isAnyPending = (findings: Findings): boolean =>
  Object.values(findings).some((finding) => finding.isPending)

/** These always apply: what stands before them failed when they were not reached. */
const NEVER_NULL: ReadonlySet<CheckName> = new Set(['structure', 'proof', 'issuerKey', 'validity'])

const found = (findings: Findings, check: CheckName): Finding =>
  findings[check] ?? (NEVER_NULL.has(check) ? failed('not_checked') : NOT_APPLICABLE)

/** All checks in their order. */
export const checksOf = (findings: Findings): Check[] =>
  CHECKS.map((check) => {
    const { detail: _detail, isPending: _isPending, ...finding } = found(findings, check)
    return { check, ...finding }
  })

/** Nothing failed; what always applies was really looked at. */
export const isVerified = (findings: Findings): boolean =>
  CHECKS.every((check) => found(findings, check).passed !== false)

/** The first failure, as a sentence. */
export function errorOf(findings: Findings): string | undefined {
  const check = CHECKS.find((name) => found(findings, name).passed === false)
  if (check === undefined) return undefined
  const { reason, detail } = found(findings, check)
  return `${SENTENCES[check]}: ${detail ?? reason ?? 'no reason given'}`
}

const SENTENCES: Record<CheckName, string> = {
  structure: 'The document is not a verifiable credential or presentation',
  proof: 'The proof check failed',
  issuerKey: 'The key check failed',
  validity: 'The validity check failed',
  schema: 'The schema check failed',
  status: 'Revocation check failed',
  issuerAuthorised: 'The issuer is not authorised',
  verifierPermitted: 'The verifier has no permission for this credential',
  holder: 'The holder check failed',
  challenge: 'The challenge check failed',
  delegation: 'The delegation check failed',
}

const rank = ({ passed }: Finding): number => (passed === false ? 2 : passed ? 1 : 0)

/** For each check the worst of several: failed, then passed, then not applicable. */
export function worstOf(all: readonly Findings[]): Findings {
  const worst: Findings = {}
  for (const findings of all) {
    for (const check of CHECKS) {
      const finding = findings[check]
      const known = worst[check]
      if (finding && (!known || rank(finding) > rank(known))) worst[check] = finding
    }
  }
  return worst
}
