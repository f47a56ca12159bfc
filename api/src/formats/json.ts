/** JSON as a parser gives it. Suites take and give nothing else. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const asArray = (value: Json | undefined): Json[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

export const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/** The `id` of something that is either a URI or an object with one. */
export const idOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : isObject(value) ? textOf(value.id) : undefined

/** A value as a sentence tells of it, whatever it is. */
export const quoted = (value: Json | undefined): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')).slice(0, 64)
