import { Type } from 'typebox'
import type { Check, CheckName } from '../formats/check.js'
import { ApiError } from '../platform/errors.js'
import type { Refusals } from '../platform/http/operation.js'
import { PROBLEM, problemOf } from '../platform/http/problem-details.js'

const DATA_MODEL = 'https://www.w3.org/TR/vc-data-model#'
const SECURITY = 'https://w3id.org/security#'
const STATUS = 'https://www.w3.org/ns/credentials/status-list#'

/** The types that the standards have for what a check finds; others have none. */
const TYPES: Partial<Record<CheckName, string>> = {
  structure: `${DATA_MODEL}MALFORMED_VALUE_ERROR`,
  proof: `${SECURITY}PROOF_VERIFICATION_ERROR`,
  issuerKey: `${SECURITY}INVALID_VERIFICATION_METHOD`,
  validity: `${DATA_MODEL}RANGE_ERROR`,
  status: `${STATUS}STATUS_VERIFICATION_ERROR`,
  challenge: `${SECURITY}INVALID_CHALLENGE_ERROR`,
}

/** The types of reasons, where they tell more than their check. */
const TYPES_OF_REASONS: Readonly<Record<string, string>> = {
  'status unavailable': `${STATUS}STATUS_RETRIEVAL_ERROR`,
  'challenge wrong_domain': `${SECURITY}INVALID_DOMAIN_ERROR`,
}

export const ProblemDetail = Type.Object(
  {
    type: Type.String({ description: 'The standard’s type of it; about:blank where there is none' }),
    title: Type.String({ description: 'The check that did not pass, with the reason in one word' }),
    detail: Type.String({ description: 'The reason, for people' }),
  },
  { description: 'One problem (RFC 9457)' },
)

/** A problem for each required check that did not pass. */
const problemDetailsOf = (checks: readonly Check[], error: string | undefined) =>
  checks
    .filter(({ required, passed }) => required && passed !== true)
    .map(({ check, reason = 'not_checked', explanation }) => ({
      type: TYPES_OF_REASONS[`${check} ${reason}`] ?? TYPES[check] ?? 'about:blank',
      title: `${check}: ${reason}`,
      detail: explanation ?? error ?? reason,
    }))

const Refusal = Type.Object(
  {
    ...PROBLEM,
    verified: Type.Optional(Type.Literal(false, { description: 'It did not verify; absent where nothing was' })),
    problemDetails: Type.Array(ProblemDetail, { description: 'All problems; of a refused request, the one of it' }),
  },
  { description: 'A problem document (RFC 9457) with the problems that VC-API tells' },
)

/** The refusals of VC-API. */
export const refusals: Refusals = {
  mediaTypes: ['application/problem+json', 'application/json'],
  schema: Refusal,
  body(error) {
    const { type, title, detail, ...problem } = problemOf(error)
    return JSON.stringify({
      ...{ type, title, detail, ...problem },
      problemDetails: [{ type, title, detail }],
      ...error.members,
    })
  },
}

/** Returns the refusal of a credential that did not verify: 400, with every problem. */
export const notVerified = (checks: readonly Check[], error: string | undefined): ApiError =>
  new ApiError('not_verified', error ?? 'It does not verify', {
    members: { verified: false, problemDetails: problemDetailsOf(checks, error) },
  })
