import { Type } from 'typebox'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { parseDigits, requireFee } from './price.js'
import { CurrencyText, PriceParams, pricedBy } from './price.shape.js'
import { changePrice } from './price-change.js'

export const setSchemaPrice = operation({
  method: 'POST',
  url: '/trust-registries/:registryId/schemas/:schemaId/price',
  operationId: 'setSchemaPrice',
  tags: ['trustRegistries'],
  summary: 'Say what verifying credentials of an issuer costs',
  description:
    'By the issuer, signed with its DID, or by the convener for others, signed with its own. It replaces the price in this currency; 0 is free. A schema that anyone may verify cannot be priced. With `verifier` it is what this one pays instead: a rule of this service, that holds at once and as long as both are listed, and Accredit-Job is 0.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'shared',
  params: PriceParams,
  body: Type.Object({
    currency: CurrencyText,
    digits: Type.Union(
      [
        Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        Type.String({ minLength: 1, maxLength: 100, description: 'Decimal digits, up to 2^128 - 1' }),
      ],
      {
        description:
          'Millionths of a currency unit, as a whole number: 1500000 is 1.5 units. What does not fit a JSON number is text',
      },
    ),
    ...pricedBy,
  }),
  examples: { 'One euro and a half': { issuerDID: EXAMPLE.issuer, currency: 'EUR', digits: '1500000' } },
  response: { 200: NothingToSay },
  errors: ['did_method_not_supported', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, body }) => {
    const digits = parseDigits(body.digits)
    requireFee(digits, ctx.config.vendorFeeMin)
    const { currency, issuerDID, verifier } = body
    return changePrice(ctx, { ...params, currency, issuerDID, verifier }, digits)
  },
})
