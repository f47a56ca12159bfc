import { ApiError } from '../../errors.js'
import type { Environment, OperationServices } from '../context.js'
import type { Problem } from '../problems.js'
import type { Fields } from './json-schema.js'
import { got } from './mismatch-words.js'
import { type Place, pointerTo } from './pointer.js'

/** A rule about one member of a body that its schema cannot say. */
export interface MemberRule {
  place: Place
  value: unknown
  /** Throws `ApiError`, whose message names the member and what is allowed, where the value breaks the rule. */
  check(): unknown
}

/** The services that rules may use; none of them asks anybody. */
export type RuleServices = Pick<Environment, 'config'> & OperationServices

/** The rules that a body is under: they are read together with its schema, so that all faults are told at once. */
export type MemberRules = (body: Readonly<Fields>, services: RuleServices) => readonly MemberRule[]

/** The rules of members that are texts; a member that is none, or blank, is not their business. */
export function textRules(body: Readonly<Fields>, checks: Readonly<Record<string, (text: string) => unknown>>) {
  return Object.entries(checks).flatMap(([name, check]): MemberRule[] => {
    const value = body[name]
    if (typeof value !== 'string' || value.trim() === '') return []
    return [{ place: [name], value, check: () => check(value) }]
  })
}

/** Returns a problem for each rule that is broken. */
export const brokenRules = (rules: readonly MemberRule[]): Problem[] => rules.flatMap(problemIn)

function problemIn({ place, value, check }: MemberRule): Problem[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [{ path: pointerTo(place), message: `${error.message}; got ${got(value, place)}`, type: error.type }]
  }
}
