import { Type } from 'typebox'
import { operation } from '../platform/operation.js'

/** Where the link of an invitation leads when no website stands before this service. Nothing of the token is looked at. */
export const explainInvitation = operation({
  method: 'GET',
  url: '/ecosystems',
  operationId: 'explainInvitation',
  tags: ['trustRegistries'],
  summary: 'Say what to do with the link of an invitation',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  response: { 200: Type.Object({ message: Type.String({ description: 'What to do with the link' }) }) },
  handler: async (ctx) => {
    ctx.reply.header('Cache-Control', 'no-store')
    ctx.reply.header('Referrer-Policy', 'no-referrer')
    return {
      message:
        'This is an invitation to an ecosystem. To accept it, send the token of this link with your DID to POST /trust-registries/invitations/accept; to decline it, send the token to POST /trust-registries/invitations/decline.',
    }
  },
})
