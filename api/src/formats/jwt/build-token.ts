import { holderKeyOf } from '../compact/holder-key.js'
import { malformed, unsignedJws } from '../compact/jws.js'
import { datesOfToken, secondsOf } from '../compact/registered-claims.js'
import type { Draft, SignedParts } from '../credential-format.js'
import { idOf, isObject, type Json, type JsonObject } from '../json.js'
import { wrongInCredential } from '../json-ld/canonical/credential-form.js'
import { buildDocument } from '../json-ld/credential-document.js'
import { dataModelOf } from '../json-ld/data-model.js'
import { claimsOf } from '../json-ld/document-claims.js'
import { checkLimits } from '../json-ld/limits.js'
import { isRegistered } from './claims-set.js'

/** Writes a credential as the claims of a token. @throws FormatError */
export function buildToken(parts: SignedParts): Draft {
  const { cnf, ...others } = parts.others
  const { document, leftOut } = buildDocument({ ...parts, others }, [])
  const wrong = wrongInCredential(document)
  if (wrong !== undefined) throw malformed(wrong)
  checkLimits(document)
  const isNewer = dataModelOf(document['@context']) === '2.0'
  const registered = { cnf, created: parts.created }
  const payload = isNewer ? wholeDocument(document, registered) : claimsSetOf(document, registered)
  // A year beyond those that can be read would be refused when it is verified.
  datesOfToken(payload)
  const header = { alg: 'EdDSA', typ: isNewer ? 'vc+jwt' : 'JWT', kid: parts.verificationMethod }
  const { message, finish } = unsignedJws(header, payload)
  return {
    claims: { ...claimsOf(document), holderKey: holderKeyOf(cnf) },
    leftOut,
    toSign: async () => ({ messages: [message], finish: async ([signature]) => finish(signature) }),
  }
}

interface Registered {
  cnf: Json | undefined
  /** When it is signed. */
  created: string
}

/**
 * The registered claims stand beside the members that they repeat: whoever reads only `vc` has the whole credential, and
 * dates keep their fractions of a second there (data model 1.1, section 6.3.1).
 */
function claimsSetOf(document: JsonObject, { cnf, created }: Registered): JsonObject {
  const { credentialSubject: subject } = document
  const [iss, sub] = [idOf(document.issuer), isObject(subject) ? idOf(subject) : undefined]
  const [iat, nbf, exp] = [created, document.issuanceDate, document.expirationDate].map(secondsOf)
  return {
    ...(iss !== undefined && { iss }),
    ...(sub !== undefined && { sub }),
    ...(document.id !== undefined && { jti: document.id }),
    ...(iat !== undefined && { iat }),
    ...(nbf !== undefined && { nbf }),
    ...(exp !== undefined && { exp }),
    ...(cnf !== undefined && { cnf }),
    vc: document,
  }
}

/** A credential of data model 2.0 is the payload itself (VC-JOSE-COSE, section 3.1). */
function wholeDocument(document: JsonObject, { cnf, created }: Registered): JsonObject {
  const taken = Object.keys(document).find(isRegistered)
  if (taken !== undefined)
    throw malformed(`a member of a credential of data model 2.0 cannot be named ${taken} in this format`)
  const iat = secondsOf(created)
  return { ...document, ...(iat !== undefined && { iat }), ...(cnf !== undefined && { cnf }) }
}
