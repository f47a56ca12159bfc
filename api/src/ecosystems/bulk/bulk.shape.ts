import { type Static, Type } from 'typebox'
import { schemaRefText } from '../../platform/http/identifiers.js'
import { CurrencyText } from '../prices/price.shape.js'

export const ROWS_MAX = 10_000

/** The most schemas of each role, and prices, of a row: with as many it still fits into one call of the ledger. */
const SCHEMAS_OF_A_ROW = 100

const schemas = (description: string) => Type.Array(schemaRefText(), { maxItems: SCHEMAS_OF_A_ROW, description })

export const Price = Type.Object({
  schema: schemaRefText('One of issuerSchemas'),
  currency: CurrencyText,
  digits: Type.Union(
    [Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.String({ maxLength: 100 })],
    {
      description: 'Millionths of a unit of the currency, as a whole number',
    },
  ),
})

export type Price = Static<typeof Price>

export const BulkRow = Type.Object({
  did: Type.String({
    minLength: 1,
    maxLength: 512,
    description:
      'A DID of any method, whether or not the ledger has it; only did:svc and did:key can act for themselves',
  }),
  name: Type.String({ minLength: 1, maxLength: 256, description: 'Shown until its owner makes a profile' }),
  logoUrl: Type.Optional(
    Type.Union([Type.String({ maxLength: 2048 }), Type.Literal('')], { description: 'http or https, or empty' }),
  ),
  issuerSchemas: Type.Optional(schemas('The schemas that it may issue')),
  verifierSchemas: Type.Optional(schemas('The schemas that it may verify')),
  prices: Type.Optional(
    Type.Array(Price, {
      maxItems: SCHEMAS_OF_A_ROW,
      description: 'The prices of verifying. Those of a schema take the place of all that the issuer has for it',
    }),
  ),
})
export type BulkRow = Static<typeof BulkRow>

/** The most rights and prices of all rows: the ledger takes them in some minutes. */
export const RIGHTS_MAX = 100_000

/**
 * A row of any form: the reference tells the right one. Rows are checked one after the other, so that all bad ones can
 * be named.
 */
export const BulkRows = Type.Array(BulkRow, { minItems: 1, maxItems: ROWS_MAX })
