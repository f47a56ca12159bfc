import { isDeepStrictEqual } from 'node:util'
import { invalid } from '../errors.js'

/**
 * Returns the value of a member that has two names; 400 when both are there with different values, since one would be
 * ignored.
 */
export function oneOfTwo<T extends object, A extends keyof T & string, B extends keyof T & string>(
  body: T,
  name: A,
  other: B,
): T[A] | T[B] {
  const [value, second] = [body[name], body[other]]
  if (isBlank(value)) return second
  if (!isBlank(second) && !isDeepStrictEqual(value, second))
    throw invalid(`${name} and ${other} are two names of one member, and differ: send one of them`)
  return value
}

/** The ways in which clients write a value that they do not have. */
export const isBlank = (value: unknown): value is undefined | null | '' =>
  value === undefined || value === null || value === ''
