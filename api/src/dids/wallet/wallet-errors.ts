import { SignerRefused } from '../../ledger/write/signer-door.js'
import { ApiError, invalid } from '../../platform/http/errors.js'

/** Turns the signer's refusals in import and export into words for the caller. */
export async function fromSigner<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof SignerRefused)) throw error
    if (error.type === 'capability_missing') {
      throw new ApiError('forbidden', 'This deployment does not hand out private keys', { cause: error })
    }
    if (error.type === 'malformed_key') throw invalid('A private key of the wallet is none of its kind')
    throw error
  }
}
