import { ApiError } from '../platform/http/errors.js'

/** Throws 409 where the caller counted another nonce. */
export function refuseOtherNonce(given: number | undefined, next: number): void {
  if (given === undefined || given === next) return
  throw new ApiError('conflict', `The nonce is ${given}, and the next one of this DID is ${next}`)
}
