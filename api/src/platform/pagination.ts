import { Type } from 'typebox'

/** `offset` and `limit`; out-of-range values are 400. Lists are newest first. */
export const pageQuery = (maxLimit = 64) =>
  Type.Object({
    offset: Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0, description: 'How many to skip' }),
    limit: Type.Integer({
      minimum: 1,
      maximum: maxLimit,
      default: Math.min(64, maxLimit),
      description: 'How many to answer',
    }),
  })

export interface Page {
  offset: number
  limit: number
}
