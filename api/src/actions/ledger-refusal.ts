import type { PalletError } from '../ledger/write/signer-door.js'
import { ApiError } from '../platform/errors.js'

/** A refusal by the ledger that is known beforehand. Another action of the DID was faster: 409, all else: 400. */
export function ledgerRefusal({ pallet, name, docs }: PalletError): ApiError {
  const type = name === 'BadNonce' ? 'conflict' : 'invalid_request'
  return new ApiError(type, `The ledger would refuse (${name}): ${docs}`, { members: { refusal: `${pallet}.${name}` } })
}
