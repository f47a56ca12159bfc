import { type Finding, failed, passed } from '../check.js'
import type { Checking, NeededKey, Proof, ProofPurpose } from '../credential-format.js'
import { type Json, quoted } from '../json.js'
import type { Jws } from './jws.js'
import { jwsAlgorithm } from './jws-algorithms.js'
import { dateTextOf, numericDate } from './registered-claims.js'

interface Signing {
  /** The type of the proof as answers show it. */
  type: string
  purpose: ProofPurpose
  /** The DID URL of the key; undefined: it names none. */
  keyId: string | undefined
  expires?: readonly Json[]
  challenge?: Json | undefined
  domain?: Json | undefined
}

/** The signature of a token, as the proof of what stands in it. @throws FormatError */
export function jwsProof(jws: Jws, { type, purpose, keyId, expires = [], challenge, domain }: Signing): Proof {
  const { header, payload } = jws
  const { alg, typ } = header
  const signed = numericDate(payload, 'iat') ?? numericDate(payload, 'nbf')
  return {
    shown: {
      type,
      alg,
      ...(typ !== undefined && { typ }),
      proofPurpose: purpose,
      ...(keyId !== undefined && { verificationMethod: keyId }),
    },
    created: signed === undefined ? undefined : dateTextOf(signed),
    expires,
    challenge,
    domain,
    checking: checkingOf(jws, purpose, keyId),
  }
}

function checkingOf({ token, header: { alg } }: Jws, purpose: ProofPurpose, id: string | undefined): Checking {
  const algorithm = jwsAlgorithm(alg)
  if (algorithm === undefined)
    return nobody(failed('unsupported_proof', `tokens signed with ${quoted(alg)} cannot be checked`))
  if (id === undefined) return nobody(failed('malformed', 'its header names no key (kid)'))
  const { kind, isDeprecated, verify } = algorithm
  const key: NeededKey = { id, purpose, kind, half: 'public' }
  return {
    by: 'keys',
    keys: [key],
    async check([{ publicKey }]) {
      if (!(await verify(token, publicKey))) return { proof: failed('invalid_signature', 'the key signed other bytes') }
      return { proof: passed(isDeprecated && { warning: `tokens signed with ${alg} are deprecated` }) }
    },
  }
}

const nobody = (finding: Finding): Checking => ({ by: 'nobody', finding })

/**
 * Returns the DID URL of the key that a header names, where only a fragment may stand for a key of the DID that signs;
 * of a DID with one key, that key may go unnamed.
 */
export function keyIdOf(kid: string | undefined, did: string): string | undefined {
  if (kid === undefined) return onlyKeyOf(did)
  return kid.startsWith('#') ? `${did}${kid}` : kid
}

function onlyKeyOf(did: string): string | undefined {
  if (did.startsWith('did:key:')) return `${did}#${did.slice('did:key:'.length)}`
  return did.startsWith('did:jwk:') ? `${did}#0` : undefined
}
