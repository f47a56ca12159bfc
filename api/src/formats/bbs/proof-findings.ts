import { type Findings, failed, passed, unavailable } from '../check.js'
import type { Claims, NeededKey } from '../credential-format.js'
import { FormatError } from '../format-error.js'
import type { ReadSchema } from './read-schema.js'
import type { Scheme } from './schemes.js'

export const neededKey = (id: string, { algorithm: { keyKind } }: Scheme): NeededKey => ({
  id,
  purpose: 'assertionMethod',
  kind: keyKind,
  half: keyKind === 'BBDT16' ? 'private' : 'public',
})

export async function found(isRight: () => Promise<boolean>): Promise<Findings> {
  try {
    return {
      proof: (await isRight()) ? passed() : failed('invalid_signature', 'the signature does not fit what is shown'),
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return { proof: error.code === 'unavailable' ? unavailable(error.message) : failed(error.code, error.message) }
  }
}

/** The claims, with the schema that stands elsewhere; one that stands in the credential alone says nothing more. */
export const withSchema = (claims: Claims, { uri }: ReadSchema): Claims => ({
  ...claims,
  schemas: uri === undefined ? [] : claims.schemas,
})
