import { isDeepStrictEqual } from 'node:util'

/** Whole answers of the product, by what they are about. */
export type Answers = Readonly<Record<string, unknown>>

/** A part of an answer that is another one than before. */
interface Difference {
  /** The names of the members that lead to it. */
  path: readonly string[]
  before: unknown
  now: unknown
}

/** Returns the innermost part in which two answers differ first; undefined where they are equal. */
export function firstDifference(before: unknown, now: unknown, path: readonly string[] = []): Difference | undefined {
  if (isDeepStrictEqual(before, now)) return undefined
  const name = [...new Set([...namesOf(before), ...namesOf(now)])].find(
    (one) => !isDeepStrictEqual(memberOf(before, one), memberOf(now, one)),
  )
  if (name === undefined || namesOf(before).length === 0 || namesOf(now).length === 0) return { path, before, now }
  return firstDifference(memberOf(before, name), memberOf(now, name), [...path, name])
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const namesOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : [])

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? Reflect.get(value, name) : undefined)

export function differenceText({ path, before, now }: Difference): string {
  const text = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 500)
  return `${path.join(' / ')} was ${text(before)} and is ${text(now)}`
}

/** The members of an answer about the present that name its block, which is another one each time. */
const OF_THE_PRESENT: readonly string[] = ['block', 'time']

/** Returns an answer about the present without what says which present that is. */
export function withoutPresent(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withoutPresent)
  if (!isObject(answer)) return answer
  const lasting = Object.entries(answer).filter(([name]) => !OF_THE_PRESENT.includes(name))
  return Object.fromEntries(lasting.map(([name, value]) => [name, withoutPresent(value)]))
}
