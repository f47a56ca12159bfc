import { hexPattern } from '@accredit/chain'
import { Type } from 'typebox'

/**
 * The kinds of ids by which callers name things, in the one form that every route understands: 32 bytes with or without
 * 0x, in either case, or an alternative to them. `x-identifier` tells the kind: one test tries all spellings.
 */
export type IdentifierKind = 'trustRegistry' | 'schema' | 'schemas' | 'revocationRegistry' | 'revocationId' | 'digest'

export const CredentialId = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'The id of the credential, a URI; a UUID stands for urn:uuid:…',
})

const UUID = /^(?:urn:uuid:)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/

/**
 * Returns the one form of a credential's id, in which it is signed and looked up; undefined for a text that is neither
 * URI nor UUID.
 */
export function parseCredentialId(text: string): string | undefined {
  const uuid = UUID.exec(text)?.[1]
  if (uuid !== undefined) return `urn:uuid:${uuid.toLowerCase()}`
  return URI.test(text) ? text : undefined
}

/** Adds the kind of an identifier to a shape. */
export const isIdentifier = (kind: IdentifierKind) => ({ 'x-identifier': kind })

export const TrustRegistryRef = Type.String({
  minLength: 1,
  maxLength: 400,
  ...isIdentifier('trustRegistry'),
  description: 'The id, 64 hexadecimal digits with or without 0x, or a slug that it has or had',
})

export const schemaRefText = (description = 'The URI of a schema, or its hash with or without 0x', maxLength = 1024) =>
  Type.String({ minLength: 1, maxLength, description, ...isIdentifier('schema') })

/** Several references, separated by commas. */
export const SchemaRefs = Type.String({
  minLength: 1,
  maxLength: 100_000,
  ...isIdentifier('schemas'),
  description: 'Schemas, separated by commas',
})

export const hexId = (kind: IdentifierKind, description = '64 hexadecimal digits, with or without 0x') =>
  Type.String({ pattern: hexPattern(32), description, ...isIdentifier(kind) })
