import { type Static, Type } from 'typebox'
import { TrustRegistryRef } from '../../platform/http/identifiers.js'
import { maxLogoText } from '../../profiles/logo.js'

export const RegistryParams = Type.Object({ registryId: TrustRegistryRef })

/** The room for a logo of 1 MB as base64. */
export const bodyBytes = 2_097_152

const url = (description: string) => Type.String({ minLength: 1, maxLength: 2048, description })

const described = {
  name: Type.String({ minLength: 1, maxLength: 256, description: 'One line, at most 256 bytes in UTF-8' }),
  description: Type.String({ maxLength: 10_000, description: 'The purpose of the registry' }),
  logoUrl: Type.String({
    minLength: 1,
    maxLength: maxLogoText,
    description: 'http or https, or a data URI of a jpeg, png or bmp of at most 1 MB',
  }),
  ecosystemUrl: url('http or https'),
  governanceFramework: Type.String({
    minLength: 1,
    maxLength: 200_000,
    description: 'Markdown. The ledger holds the digest of version, line feed and text',
  }),
  governanceFrameworkVersion: Type.String({ minLength: 1, maxLength: 64, description: 'The version of that text' }),
}

/** The texts that a convener gives a registry; all of them, or those that change. */
export const TrustRegistryUpdate = Type.Partial(Type.Object(described))
export type TrustRegistryUpdate = Static<typeof TrustRegistryUpdate>

export const TEXT_FIELDS = Object.keys(described)

export const TrustRegistryCreate = Type.Object({
  convener: Type.String({ minLength: 1, maxLength: 256, description: 'A DID of yours with a profile' }),
  ...described,
})
export type TrustRegistryCreate = Static<typeof TrustRegistryCreate>

const record = {
  id: Type.String({ description: '0x and 64 hexadecimal digits' }),
  slug: Type.Optional(Type.String({ description: 'Follows the name. A registry known only to the ledger has none' })),
  convener: Type.String({ description: 'The DID that governs it' }),
  convenerName: Type.Optional(Type.String({ description: "The name in the convener's profile" })),
  convenerLogoUrl: Type.Optional(Type.String({ description: "The logo in the convener's profile, or empty" })),
  name: Type.String({ description: 'Its name, as the ledger has it' }),
  description: Type.String({ description: 'The purpose of the registry' }),
  created: Type.String({ format: 'date-time', description: 'The time at which it was made' }),
  logoUrl: Type.String({ description: 'The address of its logo, or empty' }),
  ecosystemUrl: Type.String({ description: 'The address at which more can be read about it, or empty' }),
  governanceFramework: Type.String({
    description: 'The text that the ledger points to; empty when it points to one that this service never held',
  }),
  governanceFrameworkVersion: Type.String({ description: 'The version of that text, or empty' }),
  govFramework: Type.Optional(
    Type.String({ description: 'The form in which the ledger holds it: a URL with a digest, as bytes in hexadecimal' }),
  ),
  nonce: Type.Optional(
    Type.String({ description: "The ledger's version of the registry's rights; it grows by one with every change" }),
  ),
}

/** A trust registry as anyone may see it. */
export const PublicTrustRegistry = Type.Object(record)
export type PublicTrustRegistry = Static<typeof PublicTrustRegistry>

export const TrustRegistry = Type.Object({
  ...record,
  isOwner: Type.Boolean({ description: 'Your team holds the present convener' }),
  isUnmaintained: Type.Boolean({ description: 'The convener is no active DID any more' }),
  issuerCount: Type.Optional(
    Type.Integer({ description: 'Listed issuers, without those whose DID is deactivated; suspended ones count' }),
  ),
  verifierCount: Type.Optional(
    Type.Integer({ description: 'Listed verifiers, without those whose DID is deactivated; suspended ones count' }),
  ),
})
export type TrustRegistry = Static<typeof TrustRegistry>
