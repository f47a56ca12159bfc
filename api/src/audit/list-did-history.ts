import type { Did } from '@accredit/chain'
import { Type } from 'typebox'
import { namedDid } from '../dids/did-param.js'
import type { At } from '../ledger/read/at.js'
import { didExisted } from '../ledger/read/dids/existence.js'
import { notFound } from '../platform/errors.js'
import type { PublicContext } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { LIST_TYPES, STREAM_NOTE } from '../platform/http/streamed-list.js'
import { answerHistory, HistoryAnswer, HistoryQuery } from './history-answer.js'

export const listDidHistory = operation({
  method: 'GET',
  url: '/dids/:did/history',
  operationId: 'listDidHistory',
  tags: ['dids'],
  summary: 'List what a DID did and what happened to it',
  description: `Its keys, controllers and services, its places in registries, and its own acts. ${STREAM_NOTE}`,
  auth: 'public',
  tenancy: 'public',
  mayBeStale: true,
  params: Type.Object({ did: Type.String({ minLength: 1, maxLength: 512, description: 'A DID, encoded or raw' }) }),
  querystring: HistoryQuery,
  response: { 200: HistoryAnswer },
  mediaTypes: LIST_TYPES,
  errors: ['not_found', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: (ctx, { params, query }) =>
    answerHistory(ctx, query, async (at) => {
      const did = namedDid(params.did, 'did')
      await didExists(ctx, did, at)
      return { did }
    }),
})

/** Only a did:svc is created here: one of another method exists by itself, and may have done nothing yet. */
async function didExists(ctx: PublicContext, did: Did, at: At): Promise<void> {
  if (!did.startsWith('did:svc:')) return
  if (!(await didExisted(ctx.index, did, at))) throw notFound('DID')
}
