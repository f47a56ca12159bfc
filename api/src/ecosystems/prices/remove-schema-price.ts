import { Type } from 'typebox'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { CurrencyText, PriceParams, pricedBy } from './price.shape.js'
import { changePrice } from './price-change.js'

export const removeSchemaPrice = operation({
  method: 'DELETE',
  url: '/trust-registries/:registryId/schemas/:schemaId/price',
  operationId: 'removeSchemaPrice',
  tags: ['trustRegistries'],
  summary: 'Take back what verifying credentials of an issuer costs in a currency',
  description:
    'It is unpriced then, which is not free: that is a price of 0. With `verifier` this one pays what everybody pays again. Who may, and who signs: as for setting it.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'shared',
  input: 'deciding',
  params: PriceParams,
  querystring: Type.Object({ currency: CurrencyText, ...pricedBy }),
  response: { 200: NothingToSay },
  errors: ['did_method_not_supported', 'not_found', 'ledger_unavailable'],
  handler: (ctx, { params, query: { currency, issuerDID, verifier } }) =>
    changePrice(ctx, { ...params, currency, issuerDID, verifier }, null),
})
