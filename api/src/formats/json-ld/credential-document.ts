import type { CredentialParts } from '../credential-format.js'
import { idOf, isObject, type Json, type JsonObject } from '../json.js'
import { contextFor, typeFromName, typesFor } from './contexts/credential-context.js'
import { BITSTRING_STATUS_LIST } from './contexts/known-contexts.js'
import { dataModelOf } from './data-model.js'

/** The members that every credential made here has. */
export interface CredentialDocument extends JsonObject {
  '@context': Json[]
  id: string
  type: string[]
  credentialSubject: Json
}

/**
 * The credential as it will be signed: W3C's names, in the data model that the contexts of the request say.
 * @param suiteContexts of the suite that will sign; none where it has none, or the credential stays unsigned
 */
export function buildDocument(
  parts: CredentialParts,
  suiteContexts: readonly string[],
): { document: CredentialDocument; leftOut: string[] } {
  const { issuer, schema } = parts
  const credential = {
    ...parts.others,
    id: parts.id,
    type: typesFor([...parts.types], schema?.name === undefined ? undefined : typeFromName(schema.name)),
    credentialSubject: parts.subject,
    ...(issuer && { issuer: issuerOf(issuer, standsElsewhere(parts) ? undefined : parts.profile) }),
    ...datesOf(parts),
    ...(schema && { credentialSchema: { id: schema.id, type: schema.type } }),
    ...(parts.statuses.length > 0 && { credentialStatus: oneOrSeveral(parts.statuses) }),
  }
  const added = [...statusContextsOf(parts), ...suiteContexts, schema?.contextUrl].filter((url) => url !== undefined)
  const { context, leftOut } = contextFor({
    credential,
    given: [...parts.contexts],
    added,
    extra: parts.extraContexts,
  })
  return { document: { '@context': context, ...credential }, leftOut }
}

/** The context of data model 2.0 has the terms of its own lists. */
const statusContextsOf = ({ contexts, statusContexts }: CredentialParts): readonly string[] =>
  dataModelOf([...contexts]) === '2.0' ? statusContexts.filter((url) => url !== BITSTRING_STATUS_LIST) : statusContexts

function datesOf({ contexts, issuanceDate, expirationDate }: CredentialParts): JsonObject {
  const isModel2 = dataModelOf([...contexts]) === '2.0'
  const [begin, end] = isModel2 ? ['validFrom', 'validUntil'] : ['issuanceDate', 'expirationDate']
  return { [begin]: issuanceDate, ...(expirationDate !== undefined && { [end]: expirationDate }) }
}

const oneOrSeveral = ([first = {}, ...others]: readonly JsonObject[]): Json =>
  others.length === 0 ? first : [first, ...others]

/** Tells whether the issuer's id stands outside `issuer`: then all claims about it stand there, in one place. */
const standsElsewhere = ({ issuer, subject, others, contexts }: CredentialParts): boolean =>
  issuer !== undefined && mentions([subject, others], issuer.did, contexts.length > 0)

/** @param texts whether a context of the caller may read texts as ids */
function mentions(value: Json, did: string, texts: boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, did, texts))
  if (!isObject(value)) return texts && value === did
  return idOf(value) === did || Object.values(value).some((inner) => mentions(inner, did, texts))
}

/** An object when the caller sent one or the DID has a profile; what the caller says stands before the profile. */
function issuerOf({ did, members }: NonNullable<CredentialParts['issuer']>, profile: CredentialParts['profile']): Json {
  if (members === undefined && profile === undefined) return did
  const shown = Object.entries(profile ?? {}).filter(([name, text]) => name !== 'did' && text !== '')
  return { ...Object.fromEntries(shown), ...members, id: did }
}
