import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { AtQuery, answerAt } from '../ledger/read/at.js'
import { notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { getStatusList } from '../revocation/get-status-list.js'
import { RegistryParams } from './delegatable.shape.js'
import { findDelegatable } from './delegatable.store.js'

export const getWalletRevocations = operation({
  method: 'GET',
  url: '/delegatable-revocations/:registryId',
  operationId: 'getWalletRevocations',
  tags: ['delegatableRevocation'],
  summary: "Get the signed list of a wallet's revocations",
  description: 'The StatusList2021Credential of a list that a wallet made: the same as at its statusListCredential.',
  auth: 'public',
  tenancy: 'public',
  tagged: true,
  params: RegistryParams,
  querystring: AtQuery,
  response: {
    200: Type.Unsafe<unknown>(
      Type.Object({}, { description: 'A StatusList2021Credential', additionalProperties: true }),
    ),
  },
  errors: ['not_found', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { params, query }) => {
    const id = parseHex32(params.registryId)
    // A wrong point in time is refused whether there is a list or not.
    await answerAt(ctx, query.at)
    const known = id && (await ctx.db.read('system', (reader) => findDelegatable(reader, id)))
    if (!known) throw notFound('Status list')
    return getStatusList.handler(ctx, { params: { id: params.registryId }, query, body: undefined })
  },
})
