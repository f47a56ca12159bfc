import { Type } from 'typebox'
import { ApiError, invalid, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { CredentialId, parseCredentialId } from '../platform/http/identifiers.js'
import { operation } from '../platform/http/operation.js'
import { CredentialMetadata } from './credential.shape.js'
import { findCredentials, findSealed } from './credential.store.js'
import { metadataOf } from './credential-metadata.js'
import { openCredential } from './keeping/open-credential.js'
import { revokedAmong } from './revoked.js'

export const getCredential = operation({
  method: 'GET',
  url: '/credentials/:id',
  operationId: 'getCredential',
  tags: ['credentials'],
  summary: 'Get what is known of a credential',
  description:
    'With the password that it was persisted with, also the credential itself; a wrong one is 401 wrong_password, and after five of them in a minute 429. Of several with this id, the newest; with a password, the newest that was persisted, and 400 when none was.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: Type.Object({ id: CredentialId }),
  querystring: Type.Object({
    password: Type.Optional(Type.String({ minLength: 4, maxLength: 64, description: 'That it was persisted with' })),
  }),
  response: { 200: CredentialMetadata },
  errors: ['wrong_password', 'not_found', 'ledger_unavailable'],
  // Deriving a key from a password takes memory.
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { params, query: { password } }) => {
    const id = parseCredentialId(params.id)
    if (id === undefined) throw notFound('Credential')
    ctx.reply.header('Cache-Control', 'no-store')
    const rows = await ctx.db.read(ctx.scope, (reader) => findCredentials(reader, ctx.team, id))
    if (rows.length === 0) throw notFound('Credential')
    const row = rows.find(({ persisted }) => password === undefined || persisted)
    if (row === undefined)
      throw invalid('The credential was not persisted, so that no password opens it; ask without password')
    const isRevoked = await revokedAmong(ctx, [row])
    const credential = password === undefined ? null : await copyOf(ctx, id, password)
    return metadataOf(row, isRevoked(row), credential)
  },
})

async function copyOf(ctx: Context, id: string, password: string) {
  const sealed = await ctx.db.read(ctx.scope, (reader) => findSealed(reader, id, ctx.team))
  if (sealed === undefined) throw notFound('Credential')
  const credential = await openCredential(ctx, id, sealed, password)
  if (credential === undefined)
    throw new ApiError('wrong_password', 'The credential was not persisted with this password')
  return credential
}
