import type { TSchema } from 'typebox'
import { invalid } from './errors.js'
import { inexactText, isExact } from './exact-number.js'

/**
 * What refuses numbers in the query of an operation that would be read as other ones than they say, before its schema makes
 * numbers of them. Text that is no number at all is left to the schema.
 */
export function exactParameters(querystring: TSchema | undefined): (query: unknown) => void {
  const names = Object.entries(propertiesOf(querystring)).flatMap(([name, schema]) => (isNumeric(schema) ? [name] : []))
  return (query) => {
    for (const name of names) for (const text of textsIn(query, name)) refuseInexact(name, text)
  }
}

function refuseInexact(name: string, text: string): void {
  if (!Number.isNaN(Number(text)) && !isExact(text)) throw invalid(`?${name}: ${inexactText(text)}`, { field: name })
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
