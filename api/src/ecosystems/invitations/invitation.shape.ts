import { Type } from 'typebox'

/** As long as the schemas of an invitation make it at most. */
export const MOST_TOKEN = 500_000

export const InvitationToken = Type.String({
  minLength: 1,
  maxLength: MOST_TOKEN,
  description: 'The token of the invitation, or its whole link',
})
