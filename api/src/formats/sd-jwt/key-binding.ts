import { type Jws, malformed } from '../compact/jws.js'
import { jwsProof } from '../compact/jws-proof.js'
import { datesOfToken, dateTextOf, numericDate } from '../compact/registered-claims.js'
import type { ReadCredential, ReadPresentation } from '../credential-format.js'
import { textOf } from '../json.js'

/** The time after which a binding is none any more: a holder binds a token when somebody asks. */
const BINDING_SECONDS = 3600

interface Bound {
  credential: ReadCredential
  binding: Jws
  /** The digest of the token with the disclosures that stand before the binding. */
  shown: string
}

/**
 * Reads a token that its holder shows with the key that it names, to one verifier, for one question (RFC 9901, section
 * 7.3). @throws FormatError
 */
export function keyBinding({ credential, binding, shown }: Bound): ReadPresentation {
  const { header, payload } = binding
  const { holderKey } = credential.claims
  if (holderKey === undefined) throw malformed('it names no key of its holder (cnf), and is bound to one')
  if (header.typ !== 'kb+jwt') throw malformed('its binding is not of the type kb+jwt')
  if (payload.sd_hash !== shown) throw malformed('its binding is about another token, or other disclosures')
  const [challenge, domain] = [textOf(payload.nonce), textOf(payload.aud)]
  if (challenge === undefined || domain === undefined)
    throw malformed('its binding does not say to whom, and for which question (aud, nonce)')
  const iat = numericDate(payload, 'iat')
  if (iat === undefined) throw malformed('its binding does not say when it was made (iat)')
  const proof = jwsProof(binding, {
    type: 'KeyBindingJwt',
    purpose: 'authentication',
    keyId: holderKey,
    expires: [dateTextOf(iat + BINDING_SECONDS)],
    challenge,
    domain,
  })
  return {
    kind: 'presentation',
    holder: undefined,
    dates: datesOfToken(payload),
    credentials: [credential],
    proofs: [proof],
    isBoundCredential: true,
  }
}
