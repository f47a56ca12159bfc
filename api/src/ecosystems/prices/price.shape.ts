import { Type } from 'typebox'
import { schemaRefText, TrustRegistryRef } from '../../platform/http/identifiers.js'

export const CurrencyText = Type.String({
  pattern: '^[A-Z0-9]{1,10}$',
  description: 'The symbol of a currency: 1 to 10 of A to Z and 0 to 9',
  examples: ['EUR'],
})

const amount = {
  currency: Type.String({ description: 'Its symbol' }),
  digits: Type.String({
    description: 'Millionths of a currency unit, as a whole number: 1500000 is 1.5 units; 0 is free',
  }),
}

/** The price that an issuer asks for each verification, on the ledger. */
export const ParticipantPrice = Type.Object({ schema: Type.String({ description: 'The URI, or the hash' }), ...amount })

/** The cost of verifying a schema of one issuer. */
export const Price = Type.Object({
  ...amount,
  issuerDID: Type.String({ description: 'The issuer whose credentials it is the price of' }),
  verifier: Type.Optional(
    Type.String({
      description:
        'The only verifier that it is asked of, instead of the price for everybody; shown to its team, the issuer’s and the convener’s',
    }),
  ),
})

/** The price of a verification in any trust registry. */
export const GenericPrice = Type.Object({
  ...Price.properties,
  trustRegistryId: Type.String({ description: 'The registry in which it is asked' }),
  trustRegistryMetadata: Type.Object(
    {
      name: Type.String({ description: 'The name of the trust registry' }),
      logoUrl: Type.String({ description: 'The address of its logo, or empty' }),
      description: Type.String({ description: 'The purpose of the registry' }),
      ecosystemUrl: Type.String({ description: 'The address at which more can be read about it' }),
      governanceFramework: Type.String({ description: 'Its governance text' }),
      governanceFrameworkVersion: Type.String({ description: 'The version of that text' }),
    },
    { description: 'The registry as it is shown beside the price' },
  ),
})

export const PriceParams = Type.Object({
  registryId: TrustRegistryRef,
  schemaId: schemaRefText(),
})

/** The issuer of a price, and the verifier that it is for. */
export const pricedBy = {
  issuerDID: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'The issuer; needed where more than one of yours issues the schema, and by a convener for others',
    }),
  ),
  verifier: Type.Optional(
    Type.String({ maxLength: 512, description: 'The only verifier that this is about, instead of everybody' }),
  ),
}
