import type { PalletError } from '../ledger/write/signer-door.js'
import { ApiError } from '../platform/http/errors.js'

/**
 * Answers a refusal by the ledger that is known beforehand: 409 where another action of the DID was faster, otherwise
 * 400.
 */
export function ledgerRefusal({ pallet, name, docs }: PalletError): ApiError {
  const type = name === 'BadNonce' ? 'conflict' : 'invalid_request'
  return new ApiError(type, `The ledger would refuse (${name}): ${docs}`, { members: { refusal: `${pallet}.${name}` } })
}
