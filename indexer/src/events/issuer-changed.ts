import { on } from '../handler'
import { placeKey } from '../keys'
import { didText, utf8 } from '../text'
import { issuerChanged as changed } from '../types/trust-registry/events'

type Prices = readonly (readonly [currency: string, price: bigint])[]

/** Prices are u128: text, so that no reader loses digits. */
function pricesOf(prices: Prices): Record<string, string> {
  return Object.fromEntries(prices.map(([currency, price]) => [utf8(currency), price.toString()]))
}

export const issuerChanged = on(changed, (event, at) => {
  const { registryId, schemaId } = event
  const did = didText(event.issuer)
  const before = event.old === undefined ? null : { prices: pricesOf(event.old) }
  const after = event.new === undefined ? null : { prices: pricesOf(event.new) }
  at.record({ trustRegistryId: registryId, schemaId, subject: did, before, after })
  const key = placeKey(registryId, schemaId, did)
  if (after === null) at.ledger.issuers.end(key, at.block)
  else at.ledger.issuers.set(key, at.block, { registryId, schemaId, did, ...after })
})
