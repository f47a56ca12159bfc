import { Type } from 'typebox'
import type { Check } from '../formats/check.js'
import type { Json } from '../formats/json.js'
import { ProblemDetail } from './problem-details.js'

const Names = (description: string) => Type.Array(Type.String(), { description })
const Repeated = (description: string) =>
  Type.Optional(Type.Unsafe<{ [member: string]: Json }>(Type.Object({}, { additionalProperties: true, description })))

/** The answer about what verifies. */
export const Verdict = Type.Object({
  verified: Type.Literal(true, { description: 'Every required check passed' }),
  checks: Names('The checks that were made'),
  warnings: Names('Checks that failed without being required, one sentence each'),
  errors: Names('Always empty: what does not verify is a 400'),
  problemDetails: Type.Array(ProblemDetail, { description: 'Always empty' }),
  credential: Repeated('The credential, where the options asked for it'),
  presentation: Repeated('The presentation, where the options asked for it'),
})

/** An answer of verification, as far as it is told. */
interface Answer {
  checks: readonly Check[]
  warnings?: readonly string[]
}

/** @param wished the names that the caller has for checks: all of them were made, and are named as the caller does */
export const verdictOf = (answers: readonly Answer[], wished: readonly string[] = []) => ({
  verified: true as const,
  checks: [...new Set([...wished, ...answers.flatMap(({ checks }) => passedIn(checks))])],
  warnings: answers.flatMap(({ warnings = [] }) => warnings),
  errors: [],
  problemDetails: [],
})

const passedIn = (checks: readonly Check[]): string[] => checks.filter(({ passed }) => passed).map(({ check }) => check)
