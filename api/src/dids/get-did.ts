import { type Did, type DidState, didDocumentMetadata, didKeyState } from '@accredit/chain'
import { Type } from 'typebox'
import { AtQuery, resolveAt, sendAt } from '../ledger/at.js'
import { didStateAt } from '../ledger/did-state.js'
import { PENDING_HEADER } from '../ledger/wait-for-job.js'
import type { Context } from '../platform/context.js'
import { notFound } from '../platform/errors.js'
import { operation } from '../platform/operation.js'
import { apiDocument } from './api-document.js'
import { DidDocument, DidParams } from './did.shape.js'
import { anyOwnDid, storedDidState } from './did.store.js'
import { isDidKey, readDid } from './did-lookup.js'

const when = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

export const getDid = operation({
  method: 'GET',
  url: '/dids/:did',
  operationId: 'getDid',
  tags: ['dids'],
  summary: 'Resolve a DID to its document',
  description:
    "Any did:svc and did:key, whoever owns it. Your own answer as they will be when your accepted changes are on the ledger, with Accredit-Pending: true until they are. With `at` (or DID Core's versionTime or versionId) the document is the one of that block or instant, and has its metadata beside it; only there a deactivated DID is found.",
  auth: 'key',
  tenancy: 'public',
  params: DidParams,
  querystring: Type.Object({
    ...AtQuery.properties,
    versionTime: when('The same as `at`, as an instant'),
    versionId: when('The same as `at`, as a block number'),
  }),
  response: { 200: DidDocument },
  codes: [400, 402, 404, 503],
  handler: async (ctx, { params, query }) => {
    const did = readDid(params.did, 'did')
    const at = query.at ?? query.versionTime ?? query.versionId
    if (at !== undefined) return documentAt(ctx, did, at)
    const own = isDidKey(did) ? undefined : await ownPendingState(ctx, did)
    if (own !== undefined) return { ...apiDocument(own) }
    const state = await stateAt(ctx, did, undefined)
    if (state === undefined || state.deactivated) throw notFound('DID')
    return { ...apiDocument(state) }
  },
})

async function documentAt(ctx: Context, did: Did, at: string) {
  const state = await stateAt(ctx, did, at)
  if (state === undefined) throw notFound('DID')
  return { ...apiDocument(state), didDocumentMetadata: didDocumentMetadata(state) }
}

/** What the ledger says; a did:key follows from itself at every point. */
async function stateAt(ctx: Context, did: Did, requested: string | undefined): Promise<DidState | undefined> {
  if (isDidKey(did) && requested === undefined) return didKeyState(did)
  const at = await resolveAt(ctx.index, requested, ctx.clock)
  sendAt(ctx, at)
  return isDidKey(did) ? didKeyState(did) : didStateAt(ctx.index, did, at)
}

/** The caller's own DID while the store is ahead of the ledger. */
function ownPendingState(ctx: Context, did: Did): Promise<DidState | undefined> {
  return ctx.db.read(ctx.scope, async (reader) => {
    const own = await anyOwnDid(reader, did)
    if (own === undefined || own.openJobs.length === 0) return undefined
    ctx.reply.header(PENDING_HEADER, 'true')
    if (own.status === 'deleting' || own.status === 'deleted') throw notFound('DID')
    return own.status === 'failed' ? undefined : storedDidState(reader, own)
  })
}
