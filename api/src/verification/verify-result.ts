import { Type } from 'typebox'
import { CHECKS, type Check } from '../formats/check.js'
import type { JsonObject } from '../formats/json.js'
import {
  checksOf,
  errorOf,
  isVerified,
  type Judged,
  judge,
  type Required,
  requiredOfItsCredentials,
  requiredOfPresentation,
  warningsOf,
  worstJudged,
} from './judgement.js'
import type { ShownMethod } from './key-question.js'
import type { PresentationOutcome } from './presentation-checks.js'
import type { Outcome } from './signed-checks.js'

const CheckShape = Type.Object({
  check: Type.Enum(CHECKS, { description: 'Its name' }),
  passed: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'null: not asked for, not applicable, or (with a reason) nothing to compare',
  }),
  required: Type.Boolean({
    description:
      'Whether verified needs it to pass. authorisedWhenIssued and holderBinding are required only by `require`; what else applies always is',
  }),
  reason: Type.Optional(Type.String({ description: 'Why, in one word' })),
  basis: Type.Optional(
    Type.Literal('claimed', {
      description: 'The time that was looked at is the one that the proof claims: the issuer’s own word',
    }),
  ),
  block: Type.Optional(Type.Integer({ description: 'The block whose state was looked at' })),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Of a right: since when it is so' })),
  event: Type.Optional(Type.String({ description: 'The event of the ledger that made it so' })),
  explanation: Type.Optional(Type.String({ description: 'Why, since when and by which event, in one sentence' })),
  via: Type.Optional(Type.String({ description: 'The issuer that delegated, where the reason is delegated' })),
})

const error = Type.Optional(Type.String({ description: 'The first required check that did not pass, in one sentence' }))
const warnings = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Checks that failed without being required, and proofs of deprecated kinds, one sentence each',
  }),
)

const Result = Type.Object({
  proof: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The proof that was looked at' })),
  verified: Type.Boolean({ description: 'Whether every required check of it passed' }),
  verificationMethod: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'The key that it names, as it was found' }),
  ),
  checks: Type.Optional(Type.Array(CheckShape, { description: 'Every check of it' })),
  error,
  warnings,
})

export const VerifyResult = Type.Object({
  verified: Type.Boolean({ description: 'Whether every required check passed' }),
  results: Type.Array(Result, {
    description: 'For each proof of a credential. For a presentation: for each of its credentials, then its own proof',
  }),
  checks: Type.Array(CheckShape, {
    description: 'Every check by name. Of a presentation the worst of its results, where what is required wins',
  }),
  error,
  warnings,
})

export interface OneResult {
  proof?: JsonObject
  verified: boolean
  verificationMethod?: ShownMethod
  checks?: Check[]
  error?: string
  warnings?: string[]
}

function verdict(judged: Judged) {
  const error = errorOf(judged)
  const warnings = warningsOf(judged)
  return {
    verified: isVerified(judged),
    ...(error !== undefined && { error }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** The answer about one credential: a result for each of its proofs. */
export function credentialResult({ findings, proofs }: Outcome, required: Required) {
  const results = proofs.map(({ proof, method, findings: own }): OneResult => {
    // A proof stands for the whole credential: one that is expired or revoked has no verified proof.
    const { error, verified } = verdict(judge({ ...findings, ...own }, required))
    return {
      proof,
      verified,
      ...(method && { verificationMethod: method }),
      ...(error !== undefined && { error }),
    }
  })
  const judged = judge(findings, required)
  return { ...verdict(judged), results, checks: checksOf(judged) }
}

/** The answer about a presentation: a result for each credential, then one for its own proof; on top the worst. */
export function presentationResult({ presentation, credentials }: PresentationOutcome, required: Required) {
  const [ofEach, ofItself] = [requiredOfItsCredentials(required), requiredOfPresentation(required)]
  const all = [
    ...credentials.map((outcome) => ({ ...outcome, judged: judge(outcome.findings, ofEach) })),
    { ...presentation, judged: judge(presentation.findings, ofItself) },
  ]
  const results = all.map(({ judged, proofs: [first] }): OneResult => {
    return {
      ...(first && { proof: first.proof }),
      ...(first?.method && { verificationMethod: first.method }),
      ...verdict(judged),
      checks: checksOf(judged),
    }
  })
  const worst = worstJudged(
    all.map(({ judged }) => judged),
    required,
  )
  return { ...verdict(worst), results, checks: checksOf(worst) }
}
