import { holderKeyOf } from '../compact/holder-key.js'
import { malformed } from '../compact/jws.js'
import { datesOfToken } from '../compact/registered-claims.js'
import type { Claims, Dates } from '../credential-format.js'
import { asArray, type JsonObject } from '../json.js'
import { wrongInCredential } from '../json-ld/canonical/credential-form.js'
import { claimsOf } from '../json-ld/document-claims.js'
import { checkLimits } from '../json-ld/limits.js'
import { credentialOf, isWhole } from './claims-set.js'

interface TokenClaims {
  readonly claims: Claims
  /** The ends of the signature, where they are not those of the credential. */
  readonly ends: Dates['ends']
}

const NO_DATES: Dates = { begins: [], ends: [] }

/** Reads a payload that is or holds a document of W3C's data model. @throws FormatError */
export function credentialClaims(payload: JsonObject): TokenClaims {
  const document = credentialOf(payload)
  const wrong = wrongInCredential(document)
  if (wrong !== undefined) throw malformed(wrong)
  checkLimits(document)
  const claims = claimsOf(document)
  const ofSignature = isWhole(payload) ? datesOfToken(payload) : NO_DATES
  return {
    claims: {
      ...claims,
      dates: { ...claims.dates, begins: [...claims.dates.begins, ...ofSignature.begins] },
      statuses: [...claims.statuses, ...asArray(payload.status)],
      holderKey: holderKeyOf(payload.cnf),
    },
    ends: ofSignature.ends,
  }
}
