import { type Did, parseDid } from '@accredit/chain'
import { invalid } from '../platform/errors.js'

/** A DID of a method that the ledger knows. Throws `invalid_request` that names `field`. */
export function didParam(text: string, field: string): Did {
  const did = parseDid(text.trim())
  if (did === undefined) throw invalid(`${field} must be a did:svc or did:key without fragment`)
  return did
}
