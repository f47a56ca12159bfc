/** A part of a JSON Schema, or of a value that it describes, whose form is not checked yet. */
export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])

export const requiredOf = ({ required }: { required?: unknown }): string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []

/** Tells whether a value has all members that a schema requires. */
export const hasRequired = (schema: Fields, value: unknown): boolean =>
  requiredOf(schema).every((name) => isFields(value) && name in value)
