import { type TSchema, Type } from 'typebox'
import type { Json } from '../formats/json.js'

const Any = (description: string) => Type.Object({}, { additionalProperties: true, description })

/** A credential or presentation as the standard writes it. */
export const Document = (description: string) => Type.Unsafe<{ [member: string]: Json }>(Any(description))

/** Options that a caller may name; an unknown one is refused, since the answer would not heed it. */
export const Options = <const Members extends Record<string, TSchema>>(members: Members) =>
  Type.Optional(Type.Object(members, { additionalProperties: false, description: 'Wishes of the caller' }))

export const ChecksWished = Type.Optional(
  Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: 16,
    description: 'Checks that the caller wants; all that apply are made, whatever stands here',
  }),
)

/** The part that operations of VC-API have in common. */
export const VC_API = {
  method: 'POST',
  tags: ['vcApi'],
  auth: 'key',
  role: 'member',
  input: 'standard',
  idempotent: false,
} as const
