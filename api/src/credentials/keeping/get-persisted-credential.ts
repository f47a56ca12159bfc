import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { notFound } from '../../platform/errors.js'
import { hexId } from '../../platform/http/identifiers.js'
import { operation } from '../../platform/http/operation.js'
import { IssuedCredential } from '../credential.shape.js'
import { findSealed, sealingTeams } from '../credential.store.js'
import { addressOf, wasMadeFor } from '../issuing/credential-id.js'
import { NO_COPY, openCredential } from './open-credential.js'

export const getPersistedCredential = operation({
  method: 'GET',
  url: '/c/:hex',
  operationId: 'getPersistedCredential',
  tags: ['credentials'],
  summary: 'Get a persisted credential by its address',
  description:
    'The id of a credential that was persisted, with its password in base64. A wrong password is a 404, and after five of them in a minute from one address, or thirty in an hour from all, a 429.',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  params: Type.Object({ hex: hexId('digest') }),
  querystring: Type.Object({ p: Type.String({ minLength: 4, maxLength: 400, description: 'Base64 of the password' }) }),
  response: { 200: IssuedCredential },
  errors: ['not_found'],
  limits: { concurrencyPerAddress: 2 },
  handler: async (ctx, { params, query }) => {
    ctx.reply.header('Cache-Control', 'no-store')
    ctx.reply.header('Referrer-Policy', 'no-referrer')
    const hex = parseHex32(params.hex)?.slice(2)
    if (hex === undefined) throw notFound('Credential')
    const id = addressOf(ctx, hex)
    // The password is enough, without an API key; it opens the copy of the team that the address was given to, and no
    // other.
    const sealed = await ctx.db.read('system', async (reader) => {
      const teams = await sealingTeams(reader, id)
      return findSealed(reader, id, teams.find((team) => wasMadeFor(ctx, team, hex)) ?? teams[0] ?? null)
    })
    const password = Buffer.from(query.p, 'base64').toString('utf8')
    // A guess at an address without a copy costs the same, and counts: nobody learns in this way which ones have one.
    const credential = await openCredential(ctx, id, sealed ?? NO_COPY, password)
    if (!credential) throw notFound('Credential')
    return credential
  },
})
