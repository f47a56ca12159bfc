import { hostedSchema } from '../credentials/hosted.js'
import type { Environment } from '../platform/context.js'
import type { RequestSchemaChecks } from '../schemas/schema-checks.js'
import { asArray, idOf, type JsonObject } from '../suites/json.js'
import { type Finding, failed, NOT_APPLICABLE, passed, unavailable } from './check.js'

/** The URIs of a credential's schemas. */
export const schemaUris = (document: JsonObject): (string | undefined)[] =>
  asArray(document.credentialSchema ?? undefined).map(idOf)

export interface SchemaDoor extends Pick<Environment, 'db'> {
  /** All credentials of a request share them. */
  requestSchemas: RequestSchemaChecks
}

/** Whether the subject satisfies each schema that the credential names. Schemas that stand elsewhere cannot be had. */
export async function schemaCheck({ db, requestSchemas }: SchemaDoor, document: JsonObject): Promise<Finding> {
  const uris = schemaUris(document)
  if (uris.length === 0) return NOT_APPLICABLE
  for (const uri of uris) {
    if (uri === undefined) return failed('malformed', 'credentialSchema has no id')
    const schema = await hostedSchema(db, uri)
    if (!schema) return unavailable(`the schema ${uri.slice(0, 200)} is not hosted here`)
    const outcome = await requestSchemas.check(schema.document, document.credentialSubject)
    if (outcome.kind === 'unsatisfied') return failed('schema_mismatch', outcome.reason)
    if (outcome.kind === 'unchecked')
      return unavailable(`the schema ${uri.slice(0, 200)} cannot be checked: ${outcome.reason}`)
  }
  return passed()
}
