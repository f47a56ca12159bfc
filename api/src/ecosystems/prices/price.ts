import { invalid } from '../../platform/http/errors.js'

/** Prices are u128 on the ledger, in millionths of a currency unit. */
const DIGITS_MAX = 2n ** 128n - 1n

/** The most currencies in which an issuer may have a price for one schema. */
export const CURRENCIES_MAX = 25

/** The most verifiers of a schema that have prices of their own from one issuer. */
export const VERIFIERS_MAX = 1000

/** The most times in a day that an issuer may change its price for one verifier and schema. */
export const CHANGES_MAX = 100

/**
 * Returns a price as the ledger counts it. Throws `invalid_request` for a text that is no whole number of millionths in
 * its range.
 */
export function parseDigits(digits: number | string): bigint {
  const text = String(digits)
  const value = /^(0|[1-9][0-9]{0,38})$/.test(text) ? BigInt(text) : undefined
  if (value === undefined || value > DIGITS_MAX)
    throw invalid(
      'digits must be a whole number of millionths of a currency unit, from 0 to 2^128 - 1, as decimal digits without sign, point or exponent',
    )
  return value
}

/** Checks that a verification with a price brings the fee that is taken of it; 0 is free. Throws `invalid_request`. */
export function requireFee(digits: bigint, leastFee: number): void {
  if (digits > 0n && digits < BigInt(leastFee))
    throw invalid(`digits must be 0, or at least ${leastFee}: the least fee of a verification`)
}
