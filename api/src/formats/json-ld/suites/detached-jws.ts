import { parseJson } from '../../../platform/http/input/json.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import type { IssuingSuite } from './signature-suite.js'

type Members = Pick<IssuingSuite, 'toSign' | 'withSignature' | 'signatureOf' | 'withoutSignature'>

/** A signature of 64 bytes over the hash, as `jws`: detached, over bytes that are not base64-encoded (RFC 7797). */
export function detachedJws(alg: string): Members {
  const ours = Buffer.from(`{"alg":"${alg}","b64":false,"crit":["b64"]}`).toString('base64url')
  return {
    toSign: (hash) => signingInput(ours, hash),
    withSignature: (proof, signature) => ({
      ...proof,
      jws: `${ours}..${Buffer.from(signature).toString('base64url')}`,
    }),
    signatureOf(proof, hash) {
      const { jws } = proof
      if (typeof jws !== 'string' || jws.length > 500) return 'the proof has no jws'
      const [header, payload, encoded, ...rest] = jws.split('.')
      if (header === undefined || payload !== '' || encoded === undefined || rest.length > 0)
        return 'jws is not detached'
      if (!isExpected(parsed(header), alg)) return `the header of jws is not {alg ${alg}, b64 false, crit [b64]}`
      const signature = Buffer.from(encoded, 'base64url')
      // Decoding skips characters that are not base64url.
      if (signature.length !== 64 || signature.toString('base64url') !== encoded)
        return 'jws is not a signature of 64 bytes'
      return { signature, signed: signingInput(header, hash) }
    },
    withoutSignature({ jws: _, ...proof }: JsonObject) {
      return proof
    },
  }
}

const signingInput = (header: string, hash: Uint8Array): Uint8Array => Buffer.concat([Buffer.from(`${header}.`), hash])

/** Tells whether a header is the expected one: a program that obeys another would read the proof differently. */
function isExpected(header: Json, expected: string): boolean {
  if (!isObject(header) || Object.keys(header).length !== 3) return false
  const { alg, b64, crit } = header
  return alg === expected && b64 === false && Array.isArray(crit) && crit.length === 1 && crit[0] === 'b64'
}

function parsed(text: string): Json {
  try {
    return parseJson(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}
