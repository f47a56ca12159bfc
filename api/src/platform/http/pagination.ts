import { Type } from 'typebox'

/** `offset` and `limit`; out-of-range values are 400. Lists are newest first. */
export const pageQuery = (maxLimit = 64) =>
  Type.Object({
    offset: Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      default: 0,
      description: 'The number of entries to skip',
    }),
    limit: Type.Integer({
      minimum: 1,
      maximum: maxLimit,
      default: Math.min(64, maxLimit),
      description: 'The number of entries to answer',
    }),
  })

/**
 * The same parameters for lists that can be streamed. Defaults are not filled in, so that a given value can be told
 * from an absent one.
 */
export const pageOfStream = (maxLimit = 64) => ({
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: 'The number of entries to skip; 0 when left out. Not of a stream',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxLimit,
      description: `The number of entries to answer; ${Math.min(64, maxLimit)} when left out. Of a page, not of a stream`,
    }),
  ),
})

/** Returns the requested page, with defaults for absent parameters. */
export const pageOf = ({ offset = 0, limit = 64 }: { offset?: number; limit?: number }): Page => ({ offset, limit })

export interface Page {
  offset: number
  limit: number
}
