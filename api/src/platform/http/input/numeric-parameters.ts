import type { TSchema } from 'typebox'
import type { Problem } from '../problems.js'
import { inexactText, isExact } from './exact-number.js'

/**
 * Returns a check that finds numbers in an operation's query whose value would change when they are read, before its
 * schema makes numbers of them. The schema refuses text that is no number at all.
 */
export function inexactParameters(querystring: TSchema | undefined): (query: unknown) => Problem[] {
  const names = Object.entries(propertiesOf(querystring)).flatMap(([name, schema]) => (isNumeric(schema) ? [name] : []))
  return (query) =>
    names.flatMap((name) =>
      textsIn(query, name)
        .filter((text) => !Number.isNaN(Number(text)) && !isExact(text))
        .map((text) => ({ path: `?${name}`, message: `?${name}: ${inexactText(text)}` })),
    )
}

const propertiesOf = (schema: TSchema | undefined): object => Object(schema && Reflect.get(schema, 'properties'))

const isNumeric = (schema: unknown): boolean => {
  const { type, anyOf = [] } = Object(schema)
  return [type].flat().some((one) => one === 'integer' || one === 'number') || [anyOf].flat().some(isNumeric)
}

function textsIn(query: unknown, name: string): string[] {
  const value: unknown = Object(query)[name]
  return [value].flat().filter((text) => typeof text === 'string')
}
