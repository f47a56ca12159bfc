import { type Documents, schemaOf } from '../credentials/hosted.js'
import { asArray, idOf, isObject, type Json, type JsonObject, quoted } from '../formats/json.js'
import type { RequestSchemaChecks } from '../schemas/check/schema-checks.js'
import { type Finding, failed, NOT_APPLICABLE, passed, unavailable } from './check.js'

/** The URIs of a credential's schemas. */
export const schemaUris = (document: JsonObject): (string | undefined)[] =>
  asArray(document.credentialSchema ?? undefined).map(idOf)

export interface SchemaDoor extends Documents {
  /** All credentials of a request share them. */
  requestSchemas: RequestSchemaChecks
}

/** What is compared with the subject. A schema of another type says something about the whole credential, or in another language. */
const TYPES: readonly (Json | undefined)[] = ['JsonSchemaValidator2018', undefined]

/** Whether the subject satisfies each schema that the credential names, wherever it stands. */
export async function schemaCheck(door: SchemaDoor, document: JsonObject): Promise<Finding> {
  const { requestSchemas } = door
  const named = asArray(document.credentialSchema ?? undefined)
  if (named.length === 0) return NOT_APPLICABLE
  for (const one of named) {
    const uri = idOf(one)
    if (uri === undefined) return failed('malformed', 'credentialSchema has no id')
    const schema = await schemaOf(door, uri)
    if ('reason' in schema)
      return unavailable(`the schema ${uri.slice(0, 200)} is not hosted here and cannot be had: ${schema.reason}`)
    const type = isObject(one) ? one.type : undefined
    if (schema.contextUrl === undefined && !TYPES.includes(type))
      return unavailable(`schemas of type ${quoted(type)} that stand elsewhere cannot be checked`)
    const outcome = await requestSchemas.check(schema.document, document.credentialSubject)
    if (outcome.kind === 'unsatisfied') return failed('schema_mismatch', outcome.reason)
    if (outcome.kind === 'unchecked')
      return unavailable(`the schema ${uri.slice(0, 200)} cannot be checked: ${outcome.reason}`)
  }
  return passed()
}
