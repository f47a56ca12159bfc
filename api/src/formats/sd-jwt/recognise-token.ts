import { isDeepStrictEqual } from 'node:util'
import { holderKeyOf } from '../compact/holder-key.js'
import { type Jws, malformed, readJws, refusalOf } from '../compact/jws.js'
import { jwsProof, keyIdOf } from '../compact/jws-proof.js'
import { datesOfToken, refuseAudience, textClaim } from '../compact/registered-claims.js'
import type { Claims, ReadCredential, Recognised } from '../credential-format.js'
import { asArray } from '../json.js'
import { dataModelOf } from '../json-ld/data-model.js'
import { checkBytes, checkClaims, checkTexts } from '../json-ld/limits.js'
import { isWhole } from '../jwt/claims-set.js'
import { credentialClaims } from '../jwt/credential-claims.js'
import { NOT_OF_SUBJECT, OPEN_CLAIMS, OPEN_MEMBERS } from './claim-names.js'
import { type DisclosedClaims, disclosedClaims } from './disclosed-claims.js'
import { type Digest, digestNamed, readDisclosures } from './disclosures.js'
import { keyBinding } from './key-binding.js'

/** The types of tokens: of the present draft, and of those before it. */
const TYPES: readonly (string | undefined)[] = ['dc+sd-jwt', 'vc+sd-jwt']

/** Reads a token with its disclosures, and with the binding to its holder's key where there is one. */
export function recogniseToken(text: string): Recognised {
  const end = text.lastIndexOf('~') + 1
  const [shown, binding] = [text.slice(0, end), text.slice(end)]
  const kind = binding === '' ? 'credential' : 'presentation'
  try {
    const { credential, digest } = readCredential(shown)
    if (binding === '') return credential
    return keyBinding({ credential, binding: readJws(binding), shown: digest(shown) })
  } catch (error) {
    return { kind, wrong: refusalOf(error) }
  }
}

function readCredential(shown: string): { credential: ReadCredential; digest: Digest } {
  const [token = '', ...disclosures] = shown.split('~').slice(0, -1)
  const jws = readJws(token)
  const { header, payload } = jws
  if (!TYPES.includes(header.typ)) throw malformed(`its type is none of ${TYPES.join(', ')}`)
  const digest = digestNamed(payload._sd_alg)
  const disclosed = disclosedClaims(payload, readDisclosures(disclosures, digest))
  const isDocument = isW3cDocument(jws)
  refuseHidden(jws, disclosed, isDocument ? OPEN_MEMBERS : OPEN_CLAIMS)
  const { claims, ends } = isDocument ? documentClaims(disclosed) : { claims: claimsOf(disclosed), ends: [] }
  const keyId = keyIdOf(header.kid, claims.issuer ?? '')
  const named = { type: 'SdJwt', purpose: 'assertionMethod', keyId, expires: ends } as const
  return {
    digest,
    credential: { kind: 'credential', claims, proofs: [jwsProof({ ...jws, payload: disclosed.claims }, named)] },
  }
}

/**
 * Tells whether a token is a document of data model 2.0 (VC-JOSE-COSE, section 3.2.1), which has no `vct`. Its type is
 * one that SD-JWT VC had before.
 */
const isW3cDocument = ({ header, payload }: Jws): boolean =>
  header.typ === 'vc+sd-jwt' && !('vct' in payload) && isWhole(payload)

/** Refuses what a holder could have left out, wholly or in part, and what says what the token is. */
function refuseHidden({ payload }: Jws, { claims }: DisclosedClaims, open: readonly string[]): void {
  const hidden = open.find((name) => !isDeepStrictEqual(claims[name], payload[name]))
  if (hidden !== undefined) throw malformed(`its ${hidden} stands in a disclosure, or a part of it does`)
}

function documentClaims({ claims: payload, isPartial }: DisclosedClaims) {
  if (dataModelOf(payload['@context']) !== '2.0') throw malformed('it has no vct, and is no document of data model 2.0')
  const { claims, ends } = credentialClaims(payload)
  return { claims: { ...claims, isDerived: isPartial, hidesClaims: isPartial }, ends }
}

/** Returns the claims in the shape that all formats share. @throws FormatError */
export function claimsOf({ claims, isPartial }: DisclosedClaims): Claims {
  const [iss, vct] = [textClaim(claims, 'iss'), textClaim(claims, 'vct')]
  if (vct === undefined || vct === '') throw malformed('it has no type (vct)')
  refuseAudience(claims)
  const sub = textClaim(claims, 'sub')
  const about = Object.entries(claims).filter(([name]) => !NOT_OF_SUBJECT.has(name))
  // A member `id` of the subject has the name `sub` here.
  if (sub !== undefined && 'id' in claims) throw malformed('its sub and its id both name its subject')
  const subject = { ...(sub !== undefined && { id: sub }), ...Object.fromEntries(about) }
  checkTexts(claims)
  checkBytes(claims)
  checkClaims(subject)
  return {
    id: textClaim(claims, 'jti'),
    issuer: iss,
    types: [vct],
    subject,
    dates: datesOfToken(claims),
    schemas: asArray(claims.credentialSchema),
    statuses: [...asArray(claims.status), ...asArray(claims.credentialStatus)],
    previous: claims.previousCredentialId,
    holderKey: holderKeyOf(claims.cnf),
    isDerived: isPartial,
    hidesClaims: isPartial,
  }
}
