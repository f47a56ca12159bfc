import { hostedSchema } from '../credentials/hosted.js'
import type { Environment } from '../platform/context.js'
import { schemaErrors } from '../schemas/schema-check.js'
import { SchemaRefused } from '../schemas/schema-rules.js'
import { asArray, idOf, type JsonObject } from '../suites/json.js'
import { type Finding, failed, NOT_APPLICABLE, passed, unavailable } from './check.js'

/** The URIs of a credential's schemas. */
export const schemaUris = (document: JsonObject): (string | undefined)[] =>
  asArray(document.credentialSchema ?? undefined).map(idOf)

/** Whether the subject satisfies each schema that the credential names. Schemas that stand elsewhere cannot be had. */
export async function schemaCheck({ db }: Pick<Environment, 'db'>, document: JsonObject): Promise<Finding> {
  const uris = schemaUris(document)
  if (uris.length === 0) return NOT_APPLICABLE
  for (const uri of uris) {
    if (uri === undefined) return failed('malformed', 'credentialSchema has no id')
    const schema = await hostedSchema(db, uri)
    if (!schema) return unavailable(`the schema ${uri.slice(0, 200)} is not hosted here`)
    const wrong = reasonAgainst(schema.document, document)
    if (wrong) return wrong
  }
  return passed()
}

function reasonAgainst(schema: Record<string, unknown>, { credentialSubject }: JsonObject): Finding | undefined {
  try {
    const [first] = schemaErrors(schema, credentialSubject)
    return first === undefined ? undefined : failed('schema_mismatch', first)
  } catch (error) {
    if (error instanceof SchemaRefused) return unavailable(`the schema cannot be used: ${error.message}`)
    throw error
  }
}
