import { Type } from 'typebox'
import type { Context } from '../platform/context.js'
import { notFound } from '../platform/errors.js'
import { operation } from '../platform/operation.js'
import { CredentialId, CredentialMetadata } from './credential.shape.js'
import { findCredentials, findSealed } from './credential.store.js'
import { metadataOf } from './credential-metadata.js'
import { openCredential } from './open-credential.js'
import { revokedAmong } from './revoked.js'

export const getCredential = operation({
  method: 'GET',
  url: '/credentials/:id',
  operationId: 'getCredential',
  tags: ['credentials'],
  summary: 'Get what is known of a credential',
  description:
    'With the password that it was persisted with, also the credential itself. Of several with this id, the newest.',
  auth: 'key',
  tenancy: 'owned',
  params: Type.Object({ id: CredentialId }),
  querystring: Type.Object({ password: Type.Optional(Type.String({ minLength: 4, maxLength: 64 })) }),
  response: { 200: CredentialMetadata },
  codes: [400, 404, 429, 503],
  // Deriving the key of a password takes memory.
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { params, query }) => {
    const [row] = await ctx.db.read(ctx.scope, (reader) => findCredentials(reader, ctx.team, params.id))
    if (!row) throw notFound('Credential')
    const isRevoked = await revokedAmong(ctx, [row])
    ctx.reply.header('Cache-Control', 'no-store')
    return metadataOf(row, isRevoked(row), await copyOf(ctx, params.id, query.password))
  },
})

async function copyOf(ctx: Context, id: string, password: string | undefined) {
  if (password === undefined) return null
  const sealed = await ctx.db.read(ctx.scope, (reader) => findSealed(reader, id, ctx.team))
  return sealed === undefined ? null : ((await openCredential(ctx, id, sealed, password)) ?? null)
}
