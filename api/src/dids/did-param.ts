import { type Did, parseAnyDid, parseDid } from '@accredit/chain'
import { ApiError, invalid } from '../platform/errors.js'

/** Reads a DID of any method, which is named or asked about. Throws 400 that names `field`. */
export function namedDid(text: string, field: string): Did {
  const did = parseAnyDid(text.trim())
  if (did === undefined) throw invalid(`${field} must be a well-formed DID without path, query and fragment`)
  return did
}

/** Reads a DID of a method that can act here. Throws 400 that names `field`. */
export function didParam(text: string, field: string): Did {
  const did = parseDid(text.trim())
  if (did !== undefined) return did
  if (parseAnyDid(text.trim()) !== undefined)
    throw new ApiError(
      'did_method_not_supported',
      `${field} must be a did:svc or did:key: a DID of another method cannot act here`,
    )
  throw invalid(`${field} must be a well-formed did:svc or did:key without fragment`)
}
