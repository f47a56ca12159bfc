import type { Finding } from '../check.js'
import { type Jws, malformed, readJws, refusalOf } from '../compact/jws.js'
import { jwsProof, keyIdOf } from '../compact/jws-proof.js'
import { datesOfToken } from '../compact/registered-claims.js'
import type { ReadCredential, ReadPresentation, Recognised } from '../credential-format.js'
import { asArray, idOf, textOf } from '../json.js'
import { dataModelOf } from '../json-ld/data-model.js'
import { datesOf } from '../json-ld/document-claims.js'
import { wrongInPresentationDocument } from '../json-ld/recognise-document.js'
import { isWhole, presentationOf } from './claims-set.js'
import { credentialClaims } from './credential-claims.js'

type Kind = Recognised['kind']

/** The types of tokens that carry `vc` or `vp`; undefined: it names none. Others are made for other purposes. */
const TYPES: Readonly<Record<Kind, readonly (string | undefined)[]>> = {
  credential: [undefined, 'jwt', 'vc+jwt'],
  presentation: [undefined, 'jwt', 'vp+jwt'],
}

/** Reads a token in the form of a signed credential or presentation. Its claims are not judged. */
export function recogniseToken(token: string): Recognised {
  let kind: Kind = 'credential'
  try {
    const jws = readJws(token)
    if ('vp' in jws.payload || asArray(jws.payload.type).includes('VerifiablePresentation')) kind = 'presentation'
    if ('vp' in jws.payload && 'vc' in jws.payload) throw malformed('it cannot be a credential and a presentation')
    const { typ } = jws.header
    if (isWhole(jws.payload) && dataModelOf(jws.payload['@context']) !== '2.0')
      throw malformed('a payload without vc and vp is a document of data model 2.0, and its @context is another')
    if (!TYPES[kind].includes(typ)) throw malformed(`a token of the type ${typ} is no ${kind} in this form`)
    return kind === 'presentation' ? presentation(jws) : credential(jws)
  } catch (error) {
    return { kind, wrong: refusalOf(error) }
  }
}

function credential(jws: Jws): ReadCredential {
  const { claims, ends } = credentialClaims(jws.payload)
  return {
    kind: 'credential',
    claims,
    proofs: [
      jwsProof(jws, {
        type: 'JwtProof2020',
        purpose: 'assertionMethod',
        keyId: keyIdOf(jws.header.kid, claims.issuer ?? ''),
        expires: ends,
      }),
    ],
  }
}

function presentation(jws: Jws): ReadPresentation | { kind: 'presentation'; wrong: Finding } {
  const { payload, header } = jws
  const document = presentationOf(payload)
  const wrong = wrongInPresentationDocument(document)
  if (wrong !== undefined) return { kind: 'presentation', wrong }
  const holder = idOf(document.holder)
  if (holder === undefined) throw malformed('it does not say who presents it (iss)')
  const [own, ofToken] = [datesOf(document), datesOfToken(payload)]
  return {
    kind: 'presentation',
    holder,
    dates: { begins: [...own.begins, ...ofToken.begins], ends: [...own.ends, ...ofToken.ends] },
    credentials: asArray(document.verifiableCredential).map((one) => ({ kind: 'document', document: one })),
    proofs: [
      jwsProof(jws, {
        type: 'JwtProof2020',
        purpose: 'authentication',
        keyId: keyIdOf(header.kid, holder),
        challenge: textOf(payload.nonce),
        domain: payload.aud,
      }),
    ],
  }
}
