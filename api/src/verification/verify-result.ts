import { Type } from 'typebox'
import type { JsonObject } from '../suites/json.js'
import { CHECKS, type Check, checksOf, errorOf, type Findings, isVerified, worstOf } from './check.js'
import type { Outcome } from './credential-checks.js'
import type { VerificationMethod } from './key-at.js'
import type { PresentationOutcome } from './presentation-checks.js'

const CheckShape = Type.Object({
  check: Type.Enum(CHECKS),
  passed: Type.Union([Type.Boolean(), Type.Null()], { description: 'null: not asked for, or not applicable' }),
  reason: Type.Optional(Type.String()),
  block: Type.Optional(Type.Integer({ description: 'The block whose state was looked at' })),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Of a right: since when it is so' })),
  event: Type.Optional(Type.String({ description: 'The event of the ledger that made it so' })),
  explanation: Type.Optional(Type.String({ description: 'Why, since when and by which event, in one sentence' })),
  via: Type.Optional(Type.String({ description: 'The issuer that delegated, where the reason is delegated' })),
})

const Result = Type.Object({
  proof: Type.Optional(Type.Object({}, { additionalProperties: true })),
  verified: Type.Boolean(),
  verificationMethod: Type.Optional(Type.Object({}, { additionalProperties: true })),
  checks: Type.Optional(Type.Array(CheckShape)),
  error: Type.Optional(Type.String()),
})

export const VerifyResult = Type.Object({
  verified: Type.Boolean(),
  results: Type.Array(Result, {
    description: 'For each proof of a credential. For a presentation: for each of its credentials, then its own proof',
  }),
  checks: Type.Array(CheckShape),
  error: Type.Optional(Type.String()),
})

interface OneResult {
  proof?: JsonObject
  verified: boolean
  verificationMethod?: VerificationMethod
  checks?: Check[]
  error?: string
}

const withError = (findings: Findings) => {
  const error = errorOf(findings)
  return { verified: isVerified(findings), ...(error !== undefined && { error }) }
}

/** The answer about one credential: a result for each of its proofs. */
export function credentialResult({ findings, proofs }: Outcome) {
  const results = proofs.map(({ proof, method, findings: own }): OneResult => {
    // A proof stands for the whole credential: one that is expired or revoked has no verified proof.
    const { error, verified } = withError({ ...findings, ...own })
    return {
      proof,
      verified,
      ...(method && { verificationMethod: method }),
      ...(error !== undefined && { error }),
    }
  })
  return { ...withError(findings), results, checks: checksOf(findings) }
}

/** The answer about a presentation: a result for each credential, then one for its own proof; on top the worst. */
export function presentationResult({ presentation, credentials }: PresentationOutcome) {
  const all = [...credentials, presentation]
  const results = all.map(({ findings, proofs }): OneResult => {
    const [first] = proofs
    return {
      ...(first && { proof: first.proof }),
      ...(first?.method && { verificationMethod: first.method }),
      ...withError(findings),
      checks: checksOf(findings),
    }
  })
  const worst = worstOf(all.map(({ findings }) => findings))
  const verified = all.every(({ findings }) => isVerified(findings))
  return { ...withError(worst), verified, results, checks: checksOf(worst) }
}
