/** An object in a body whose members this service has chosen, as its reference tells them. */
export interface OwnEnvelope {
  place: readonly (string | number)[]
  members: string[]
  /** Members that may be left out. */
  optional: string[]
  /** Optional members that have a null of their own. */
  nullable: string[]
}

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: unknown
  items?: Schema
  anyOf?: Schema[]
  if?: Schema
  then?: Schema
  else?: Schema
  default?: unknown
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** All of them in a good body. Objects of other formats say `additionalProperties`. */
export function ownEnvelopes(schema: unknown, value: unknown, place: readonly (string | number)[] = []): OwnEnvelope[] {
  if (!isSchema(schema)) return []
  if (schema.if) {
    const isWrapper = isObject(value) && 'data' in value && !('@context' in value)
    return ownEnvelopes(isWrapper ? schema.then : schema.else, value, place)
  }
  if (schema.anyOf)
    return ownEnvelopes(
      schema.anyOf.find(({ type }) => type === 'object'),
      value,
      place,
    )
  if (schema.items && Array.isArray(value))
    return value.flatMap((item, index) => ownEnvelopes(schema.items, item, [...place, index]))
  if (schema.type !== 'object' || schema.additionalProperties !== undefined || !isObject(value)) return []
  const properties = Object.entries(schema.properties ?? {})
  const optional = properties.filter(
    ([name, member]) => !schema.required?.includes(name) || member.default !== undefined,
  )
  const nested = properties.flatMap(([name, member]) => ownEnvelopes(member, value[name], [...place, name]))
  return [
    {
      place,
      members: properties.map(([name]) => name),
      optional: optional.map(([name]) => name),
      nullable: optional.filter(([, member]) => takesNull(member)).map(([name]) => name),
    },
    ...nested,
  ]
}

const takesNull = ({ type, anyOf }: Schema): boolean =>
  anyOf ? anyOf.some(takesNull) : type === undefined || type === 'null'
