import { Type } from 'typebox'
import { eraseEvents } from '../platform/database/erase-events.js'
import { notFound } from '../platform/errors.js'
import { CredentialId, parseCredentialId } from '../platform/http/identifiers.js'
import { NothingToSay, operation } from '../platform/http/operation.js'
import { deleteCredentials } from './credential.store.js'

export const deleteCredential = operation({
  method: 'DELETE',
  url: '/credentials/:id',
  operationId: 'deleteCredential',
  tags: ['credentials'],
  summary: 'Forget a credential',
  description:
    'Deletes what is kept of every credential of yours with this id. It does not revoke them. Web hooks that were not told of it yet are not told.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: Type.Object({ id: CredentialId }),
  querystring: Type.Object({
    password: Type.Optional(Type.String({ maxLength: 64, description: 'Ignored: your key is enough' })),
  }),
  response: { 200: NothingToSay },
  errors: ['not_found'],
  handler: async (ctx, { params, query }) => {
    const id = parseCredentialId(params.id)
    if (id === undefined) throw notFound('Credential')
    if (query.password !== undefined) ctx.ignore(['?password'])
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const deleted = await deleteCredentials(tx, ctx.team, id)
      if (deleted === 0) throw notFound('Credential')
      await eraseEvents(tx, ctx.events.resourceOf(ctx.team, id))
      await tx.audit({
        action: 'deleteCredential',
        subject: id,
        before: { credentials: deleted },
        after: { credentials: 0 },
      })
      return tx.answer({})
    })
  },
})
