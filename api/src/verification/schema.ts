import { type Documents, schemaOf } from '../credentials/issuing/hosted.js'
import { type Finding, failed, NOT_APPLICABLE, passed, unavailable } from '../formats/check.js'
import type { Claims } from '../formats/credential-format.js'
import { idOf, isObject, type Json, quoted } from '../formats/json.js'
import type { RequestSchemaChecks } from '../schemas/check/schema-checks.js'
import { ofShownClaims } from '../schemas/check/shown-claims.js'

/** The URIs of a credential's schemas. */
export const schemaUris = ({ schemas }: Claims): (string | undefined)[] => schemas.map(idOf)

export interface SchemaDoor extends Documents {
  /** All credentials of a request share them. */
  requestSchemas: RequestSchemaChecks
}

/** The types of schemas compared with the subject. Others are about the whole credential, or in another language. */
const TYPES: readonly (Json | undefined)[] = ['JsonSchemaValidator2018', undefined]

/**
 * Checks that the subject satisfies each schema that the credential names, wherever it stands. Of what a holder derived
 * the claims that are shown have to.
 */
export async function schemaCheck(door: SchemaDoor, { schemas, subject, isDerived }: Claims): Promise<Finding> {
  const { requestSchemas } = door
  if (schemas.length === 0) return NOT_APPLICABLE
  for (const one of schemas) {
    const uri = idOf(one)
    if (uri === undefined) return failed('malformed', 'credentialSchema has no id')
    const schema = await schemaOf(door, uri)
    if ('reason' in schema)
      return unavailable(`the schema ${uri.slice(0, 200)} is not hosted here and cannot be had: ${schema.reason}`)
    const type = isObject(one) ? one.type : undefined
    if (schema.contextUrl === undefined && !TYPES.includes(type))
      return unavailable(`schemas of type ${quoted(type)} that stand elsewhere cannot be checked`)
    const outcome = await requestSchemas.check(isDerived ? ofShownClaims(schema.document) : schema.document, subject)
    if (outcome.kind === 'unsatisfied') return failed('schema_mismatch', outcome.reason)
    if (outcome.kind === 'unchecked')
      return unavailable(`the schema ${uri.slice(0, 200)} cannot be checked: ${outcome.reason}`)
  }
  return passed()
}
