import { AtQuery } from '../../ledger/read/at.js'
import { operation } from '../../platform/http/operation.js'
import { readPoint } from '../read-point.js'
import { issuerFor } from '../registries/access.js'
import { Delegates, DelegatesParams } from './delegates.shape.js'
import { taggedDelegates } from './delegates.view.js'

export const listDelegates = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/issuers/:did/delegates',
  operationId: 'listDelegates',
  tags: ['trustRegistries'],
  summary: 'List who may issue in the name of an issuer',
  description: 'For the convener, for participants, and for the issuer. The order means nothing.',
  auth: 'key',
  role: 'member',
  tenancy: 'shared',
  tagged: true,
  params: DelegatesParams,
  querystring: AtQuery,
  response: { 200: Delegates },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query }) => {
    const { delegates } = await issuerFor(ctx, params, await readPoint(ctx, query.at))
    return taggedDelegates(ctx, delegates)
  },
})
