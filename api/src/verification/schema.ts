import { type Documents, schemaOf } from '../credentials/issuing/hosted.js'
import { type Finding, failed, NOT_APPLICABLE, passed, unavailable } from '../formats/check.js'
import type { Claims } from '../formats/credential-format.js'
import { idOf, isObject, type Json, quoted } from '../formats/json.js'
import { OF_CREDENTIAL, OF_SUBJECT } from '../formats/schema-types.js'
import type { At } from '../ledger/read/at.js'
import type { RequestSchemaChecks } from '../schemas/check/schema-checks.js'
import { ofShownClaims } from '../schemas/check/shown-claims.js'
import type { RemoteDocuments } from '../schemas/remote/remote-documents.js'
import { IN_CREDENTIAL, type SchemaCredentialDoor, schemaInCredential } from '../schemas/remote/schema-credential.js'

/** The URIs of a credential's schemas. */
export const schemaUris = ({ schemas }: Claims): (string | undefined)[] => schemas.map(idOf)

export interface SchemaDoor extends Documents, SchemaCredentialDoor {
  remoteDocuments: RemoteDocuments
  /** All credentials of a request share them. */
  requestSchemas: RequestSchemaChecks
}

/** The types of schemas that are about the subject; without one, a schema is. */
const SUBJECT_TYPES: readonly (Json | undefined)[] = [OF_SUBJECT, undefined]
/** The types of those about the whole credential (Verifiable Credentials JSON Schema Specification, section 2). */
const CREDENTIAL_TYPES: readonly (Json | undefined)[] = [OF_CREDENTIAL, IN_CREDENTIAL]

/**
 * Checks that a credential satisfies each schema that it names, wherever it stands: one that is hosted here, and one of
 * a type that is about subjects, is compared with the subject. Where claims may be hidden, those that are shown have to.
 */
export async function schemaCheck(door: SchemaDoor, claims: Claims, at: At): Promise<Finding> {
  if (claims.schemas.length === 0) return NOT_APPLICABLE
  for (const one of claims.schemas) {
    const finding = await checkOne(door, claims, one, at)
    if (finding.passed !== true) return finding
  }
  return passed()
}

async function checkOne(door: SchemaDoor, claims: Claims, named: Json, at: At): Promise<Finding> {
  const uri = idOf(named)
  if (uri === undefined) return failed('malformed', 'credentialSchema has no id')
  const type = isObject(named) ? named.type : undefined
  const schema = type === IN_CREDENTIAL ? await schemaInCredential(door, uri, at) : await schemaOf(door, uri)
  if ('passed' in schema) return schema
  if ('reason' in schema)
    return unavailable(`the schema ${uri.slice(0, 200)} is not hosted here and cannot be had: ${schema.reason}`)
  const compared = comparedWith(claims, type, 'contextUrl' in schema && schema.contextUrl !== undefined)
  if ('passed' in compared) return compared
  const document = claims.hidesClaims ? ofShownClaims(schema.document) : schema.document
  const outcome = await door.requestSchemas.check(document, compared.value)
  if (outcome.kind === 'unsatisfied') return failed('schema_mismatch', outcome.reason)
  if (outcome.kind === 'unchecked')
    return unavailable(`the schema ${uri.slice(0, 200)} cannot be checked: ${outcome.reason}`)
  return passed()
}

/** Returns the part of a credential that a schema is about, or why it is not known. */
function comparedWith(
  { subject, document }: Claims,
  type: Json | undefined,
  isHosted: boolean,
): { value: Json | undefined } | Finding {
  if (isHosted || SUBJECT_TYPES.includes(type)) return { value: subject }
  if (CREDENTIAL_TYPES.includes(type) && document !== undefined) return { value: document }
  return unavailable(`schemas of type ${quoted(type)} that stand elsewhere cannot be checked`)
}
