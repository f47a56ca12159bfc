import { idOf, isObject, type Json, type JsonObject } from '../formats/json.js'
import { contextFor, typeFromName, typesFor } from '../formats/json-ld/contexts/credential-context.js'
import type { ExtraContexts } from '../formats/json-ld/contexts/document-loader.js'
import { type CredentialInput, SCHEMA_TYPE, withoutBlanks } from './credential-input.js'

export interface DocumentParts {
  input: CredentialInput
  /** The id to use when the caller gave none. */
  generatedId: string
  /** The issuer's profile, when the DID has one. */
  profile: { name: string; description: string; logo: string } | undefined
  schema: { id: string; name: string | undefined; contextUrl: string | undefined } | undefined
  status: JsonObject | undefined
  issuanceDate: string
  /** Context of the suite that will sign; undefined when the credential stays unsigned. */
  suiteContext: string | undefined
  contexts: ExtraContexts
}

/** The members that every credential made here has. */
export interface CredentialDocument extends JsonObject {
  '@context': Json[]
  id: string
  type: string[]
  credentialSubject: Json
  issuanceDate: string
}

/** The credential as it will be signed: W3C's names, data model 1.1. */
export function buildDocument(parts: DocumentParts): { document: CredentialDocument; leftOut: string[] } {
  const { input, schema } = parts
  const credential = {
    ...input.others,
    id: input.id ?? parts.generatedId,
    type: typesFor(input.types, schema?.name === undefined ? undefined : typeFromName(schema.name)),
    credentialSubject: input.subject,
    ...(input.issuer && { issuer: issuerOf(input.issuer, standsElsewhere(input) ? undefined : parts.profile) }),
    issuanceDate: parts.issuanceDate,
    ...(input.expirationDate !== undefined && { expirationDate: input.expirationDate }),
    ...(input.schema !== undefined && {
      credentialSchema: { id: schema?.id ?? input.schema, type: SCHEMA_TYPE },
    }),
    ...(parts.status && { credentialStatus: parts.status }),
  }
  const added = [parts.suiteContext, schema?.contextUrl].filter((url) => url !== undefined)
  const { context, leftOut } = contextFor({ credential, given: input.contexts, added, extra: parts.contexts })
  return { document: { '@context': context, ...credential }, leftOut }
}

/** What is said of a DID stands in one place, which is another one than `issuer` where its id stands there. */
const standsElsewhere = ({ issuer, subject, others, contexts }: CredentialInput): boolean =>
  issuer !== undefined && mentions([subject, others], issuer.did, contexts.length > 0)

/** @param texts whether a context of the caller may read texts as ids */
function mentions(value: Json, did: string, texts: boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, did, texts))
  if (!isObject(value)) return texts && value === did
  return idOf(value) === did || Object.values(value).some((inner) => mentions(inner, did, texts))
}

/** An object when the caller sent one or the DID has a profile; what the caller says stands before the profile. */
function issuerOf({ did, members }: NonNullable<CredentialInput['issuer']>, profile: DocumentParts['profile']): Json {
  if (members === undefined && profile === undefined) return did
  const shown = Object.entries(profile ?? {}).filter(([name, text]) => name !== 'did' && text !== '')
  return { ...Object.fromEntries(shown), ...withoutBlanks(members ?? {}), id: did }
}
