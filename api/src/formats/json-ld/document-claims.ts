import type { Claims, Dates } from '../credential-format.js'
import { asArray, idOf, type Json, type JsonObject } from '../json.js'
import { dataModelOf } from './data-model.js'

/** Returns the claims of a credential, in the shape that all formats share. */
export function claimsOf(document: JsonObject): Claims {
  return {
    id: document.id,
    issuer: idOf(document.issuer),
    types: asArray(document.type),
    subject: document.credentialSubject,
    dates: datesOf(document),
    schemas: asArray(document.credentialSchema ?? undefined),
    statuses: asArray(document.credentialStatus ?? undefined),
    ...(isModel2(document) && { relatedResources: asArray(document.relatedResource) }),
    previous: document.previousCredentialId,
    holderKey: undefined,
    isDerived: false,
    hidesClaims: false,
    document: withoutProof(document),
  }
}

const withoutProof = ({ proof: _, ...document }: JsonObject): JsonObject => document

const isModel2 = (document: JsonObject): boolean =>
  document.relatedResource !== undefined && dataModelOf(document['@context']) === '2.0'

/** The claims of a document of either generation of the data model. */
export const datesOf = (document: JsonObject): Dates => ({
  begins: present(document.issuanceDate, document.validFrom),
  ends: present(document.expirationDate, document.validUntil),
})

const present = (...values: (Json | undefined)[]): Json[] => values.filter((value) => value !== undefined)
