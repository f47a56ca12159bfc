import type { JsonObject as Json } from '../formats/json.js'
import { termsContext } from '../formats/json-ld/contexts/terms.js'
import { subschemas } from './check/schema-places.js'
import { isObject, type JsonObject } from './check/schema-rules.js'

// The terms that credentials/v1 and the contexts of suites protect: a second definition is an error in JSON-LD 1.1.
const protectedTerms = new Set([
  'proof',
  'VerifiableCredential',
  'VerifiablePresentation',
  'EcdsaSecp256k1Signature2019',
  'EcdsaSecp256r1Signature2019',
  'Ed25519Signature2018',
  'Ed25519Signature2020',
  'Ed25519VerificationKey2018',
  'Ed25519VerificationKey2020',
  'RsaSignature2018',
  'StatusList2021',
  'StatusList2021Credential',
  'StatusList2021Entry',
])

/**
 * Returns the names of all properties that a schema describes, at any depth, each with whether it is an array
 * everywhere.
 */
export function propertyNames(document: JsonObject): Map<string, boolean> {
  const names = new Map<string, boolean>()
  const pending = [document]
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    if (isObject(schema.properties)) {
      for (const [name, property] of Object.entries(schema.properties)) {
        const isArray = isObject(property) && property.type === 'array'
        names.set(name, isArray && names.get(name) !== false)
      }
    }
    pending.push(...subschemas(schema))
  }
  return names
}

/**
 * Returns the JSON-LD context document of a schema: a term for each of its properties, so that a signature covers them
 * all (the order of arrays too), and for the types that credentials of this schema usually have.
 *
 * @param typeName the schema's name in CamelCase
 */
export function contextOf(typeName: string, document: JsonObject): { '@context': Json } {
  const properties = propertyNames(document)
  const names = [typeName, `${typeName}Credential`, ...properties.keys()]
  const lists = new Set([...properties].flatMap(([name, isList]) => (isList ? [name] : [])))
  return {
    '@context': termsContext(
      names.filter((name) => name !== '' && !protectedTerms.has(name)),
      lists,
    ),
  }
}
