import { Type } from 'typebox'

/** The length of a token with as many schemas as an invitation may have. */
export const MOST_TOKEN = 500_000

export const InvitationToken = Type.String({
  minLength: 1,
  maxLength: MOST_TOKEN,
  description: 'The token of the invitation, or its whole link',
})
