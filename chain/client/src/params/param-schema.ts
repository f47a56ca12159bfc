import { hexPattern } from '../bytes.js'
import type { NamedParam, ParamType } from './param-type.js'

/** A JSON Schema (2020-12). */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The JSON Schema of an object with these members. */
export function objectSchema(fields: readonly NamedParam[]): JsonSchema {
  const required = fields.filter(({ type }) => type.kind !== 'optional').map(({ name }) => name)
  const properties = Object.fromEntries(fields.map(({ name, type }) => [name, paramSchema(type)]))
  return { type: 'object', properties, required, additionalProperties: false }
}

function paramSchema(type: ParamType): JsonSchema {
  switch (type.kind) {
    case 'did':
      return { type: 'string', description: 'A DID of any method; only did:svc:… and did:key:… can act' }
    case 'svc':
      return { type: 'string', description: 'A DID of this ledger: did:svc:…' }
    case 'fixed':
      return { type: 'string', pattern: hexPattern(type.length) }
    case 'bytes':
      return { type: 'string', description: 'Text; with 0x in front bytes as hexadecimal' }
    case 'text':
      return type.text === 'uri'
        ? { type: 'string', format: 'uri', description: 'A URI (RFC 3986)' }
        : { type: 'string', description: 'Text, written as it is' }
    case 'integer':
      return integerSchema(type.bits)
    case 'boolean':
      return { type: 'boolean' }
    case 'list':
      return { type: 'array', items: paramSchema(type.item) }
    case 'set':
      return { type: 'array', items: paramSchema(type.item), uniqueItems: true }
    case 'map':
      return {
        type: 'object',
        propertyNames: paramSchema(type.key),
        additionalProperties: paramSchema(type.value),
      }
    case 'optional':
      return paramSchema(type.inner)
    case 'struct':
      return objectSchema(type.fields)
    case 'variants':
      return { anyOf: [...type.variants].map(variantSchema) }
  }
}

function integerSchema(bits: number): JsonSchema {
  const whole = { type: 'integer', minimum: 0 }
  if (bits <= 32) return { ...whole, maximum: 2 ** bits - 1 }
  return { anyOf: [whole, { type: 'string', pattern: '^[0-9]+$' }], description: `At most ${bits} bits` }
}

function variantSchema([name, content]: readonly [string, ParamType | undefined]): JsonSchema {
  if (content === undefined) return { const: name }
  return objectSchema([{ name, type: content }])
}
