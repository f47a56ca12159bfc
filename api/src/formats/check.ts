/** The names of all checks, in the order of the answer. */
export const CHECKS = [
  'structure',
  'proof',
  'issuerKey',
  'validity',
  'schema',
  'status',
  'issuerAuthorised',
  'authorisedWhenIssued',
  'verifierPermitted',
  'holder',
  'holderBinding',
  'challenge',
  'delegation',
] as const

export type CheckName = (typeof CHECKS)[number]

/** The result of one check. null: it was not asked for, does not apply, or (with a reason) has nothing to compare. */
export interface Finding {
  passed: boolean | null
  /** A word for programs. */
  reason?: string
  /** A sentence for people. */
  detail?: string
  /** A sentence for people about what passed, and should not go on. */
  warning?: string
  /** `claimed`: the time that was looked at is the issuer's own word. */
  basis?: 'claimed'
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
  /** The missing data is on its way to the index: it may be there a moment later. */
  isPending?: true
}

export type Findings = Partial<Record<CheckName, Finding>>

/** A check as it is answered. */
export interface Check extends Omit<Finding, 'detail' | 'warning' | 'isPending'> {
  check: CheckName
  /** True when `verified` needs it to pass. */
  required: boolean
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

/** The check ran and had nothing to compare: it fails only where it is required. */
export const undecided = (reason: string, detail: string): Finding => ({ passed: null, reason, detail })

/** The check applies and could not be done, which counts as failed. */
export const unavailable = (detail: string): Finding => failed('unavailable', detail)

/** Our own store has the data, the index does not have it yet. */
export const pending = (detail: string): Finding => ({ ...unavailable(detail), isPending: true })

/** Tells whether the answer may be another one a moment later. */
export const isAnyPending = (findings: Findings): boolean =>
  Object.values(findings).some((finding) => finding.isPending)

const rank = ({ passed, warning }: Finding): number =>
  passed === false ? 3 : warning !== undefined ? 2 : passed ? 1 : 0

/** Returns the worst of several findings for each check: failed, then passed with a warning, passed, not applicable. */
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
