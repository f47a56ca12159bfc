import { ApiError } from './errors.js'
import { nearName } from './input/near-name.js'

/** One fault in a request. */
export interface Problem {
  /**
   * The place of the fault: the JSON pointer of a member, `?` and the name of a parameter, or the name of a part of the
   * address in braces.
   */
  path: string
  message: string
  isUnknown?: true
}

/** The most problems that are told; nobody reads more of them. */
export const TOLD = 20

/** The length of a caller's text in a message. */
export const shortened = (text: string, most = 64): string => (text.length > most ? `${text.slice(0, most)}…` : text)

/** The path of a query parameter. */
export const parameterNamed = (name: string): string => `?${encodeURIComponent(name)}`

/** Returns the problem of an unknown name, with the known one that was most likely meant. */
export function unknownText(kind: 'member' | 'parameter', name: string, names: Iterable<string>): string {
  const known = [...names]
  const shown = shortened(name)
  const near = nearName(name, known)
  if (near !== undefined) return `There is no ${kind} ${shown}: did you mean ${near}?`
  return `There is no ${kind} ${shown}${known.length === 0 ? '' : `; there are ${known.join(', ')}`}`
}

/** Returns the problem of a name with an empty value, where nothing may be left out silently. */
export const blankText = (kind: 'member' | 'parameter', name: string): string =>
  `The ${kind} ${name} is blank: give it a value, or leave it out`

/**
 * Returns the refusal for all of them: `unknown_member` where a name among them is not known, otherwise
 * `invalid_request`.
 *
 * @param count how many there are, where these are the first of them; infinite where nobody counted
 */
export function refusalOf(problems: readonly Problem[], count = problems.length): ApiError {
  const type = problems.some(({ isUnknown }) => isUnknown) ? 'unknown_member' : 'invalid_request'
  const told = problems.slice(0, TOLD).map(({ path, message }) => ({ path, message }))
  const [first] = told
  const rest = count - 1
  const message = `${first?.message}${rest > 0 ? ` (and ${Number.isFinite(rest) ? rest : 'many'} more, see problems)` : ''}`
  return new ApiError(type, message, {
    members: { problems: told },
    ...(first && { malformed: { field: fieldAt(first.path) } }),
  })
}

/** The member is written in the form that other refusals use. */
const fieldAt = (path: string): string => path.replace(/^[/?{]|\}$/g, '').replaceAll('/', '.')
