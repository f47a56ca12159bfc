import type { Static } from 'typebox'
import type { PriceRow } from './price.queries.js'
import type { Price } from './price.shape.js'

export function priceView({ currency, digits, issuer, verifier }: PriceRow): Static<typeof Price> {
  return { currency, digits, issuerDID: issuer, ...(verifier !== null && { verifier }) }
}
