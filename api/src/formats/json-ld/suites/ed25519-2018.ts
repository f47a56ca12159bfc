import { parseJson } from '../../../platform/http/input/json.js'
import { isObject, type Json } from '../../json.js'
import { verifyEd25519 } from '../../keys/verify-key.js'
import { rdfHash } from './rdf-hash.js'
import type { IssuingSuite } from './signature-suite.js'

// A detached JWS over bytes that are not base64-encoded (RFC 7797).
const HEADER = Buffer.from('{"alg":"EdDSA","b64":false,"crit":["b64"]}').toString('base64url')

const signingInput = (header: string, hash: Uint8Array): Uint8Array => Buffer.concat([Buffer.from(`${header}.`), hash])

/**
 * Ed25519Signature2018: `jws` is detached and unencoded. Only data model 1.1 defines it.
 * https://w3c-ccg.github.io/lds-ed25519-2018/
 */
export const ed25519Of2018: IssuingSuite = {
  algorithm: { name: 'ed25519-2018', keyKind: 'Ed25519', primitive: 'sign' },
  keyKind: 'Ed25519',
  proofType: 'Ed25519Signature2018',
  contexts: { '1.1': [] },
  proofFor: (_document, options) => ({ type: 'Ed25519Signature2018', ...options }),
  hash: rdfHash,
  toSign: (hash) => signingInput(HEADER, hash),
  withSignature: (proof, signature) => ({
    ...proof,
    jws: `${HEADER}..${Buffer.from(signature).toString('base64url')}`,
  }),
  signatureOf(proof, hash) {
    const { jws } = proof
    if (typeof jws !== 'string' || jws.length > 500) return 'the proof has no jws'
    const [header, payload, encoded, ...rest] = jws.split('.')
    if (header === undefined || payload !== '' || encoded === undefined || rest.length > 0) return 'jws is not detached'
    if (!isExpected(parsed(header))) return 'the header of jws is not {alg EdDSA, b64 false, crit [b64]}'
    const signature = Buffer.from(encoded, 'base64url')
    // Decoding skips characters that are not base64url.
    if (signature.length !== 64 || signature.toString('base64url') !== encoded)
      return 'jws is not a signature of 64 bytes'
    return { signature, signed: signingInput(header, hash) }
  },
  withoutSignature({ jws: _, ...proof }) {
    return proof
  },
  verify: verifyEd25519,
}

/** Tells whether a header is the expected one: a program that obeys another would read the proof differently. */
function isExpected(header: Json): boolean {
  if (!isObject(header) || Object.keys(header).length !== 3) return false
  const { alg, b64, crit } = header
  return alg === 'EdDSA' && b64 === false && Array.isArray(crit) && crit.length === 1 && crit[0] === 'b64'
}

function parsed(text: string): Json {
  try {
    return parseJson(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}
