import { type Did, parseAnyDid, parseDid } from '@accredit/chain'
import { ApiError, invalid } from '../platform/errors.js'

/** Reads a DID that is only asked about; a DID of another method has no answer here. Throws 400 that names `field`. */
export function askedDid(text: string, field: string): Did {
  return parseAnyDid(text.trim()) ?? didParam(text, field)
}

/** Reads a DID of a method that the ledger knows. Throws 400 that names `field`. */
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
