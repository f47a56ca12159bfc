import { type Did, type DidState, didDocumentMetadata, didKeyState } from '@accredit/chain'
import { Type } from 'typebox'
import { AtQuery, answerAt } from '../ledger/read/at.js'
import { didStateAt } from '../ledger/read/did-state.js'
import { PENDING_HEADER } from '../ledger/write/wait-for-job.js'
import { notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { hasOpenJobs } from './changes/open-jobs.store.js'
import { DidDocument, DidParams } from './did.shape.js'
import { anyOwnDid, storedDidState } from './did.store.js'
import { didParam } from './did-param.js'
import { apiDocument } from './resolution/api-document.js'
import { isDidKey } from './resolution/did-lookup.js'
import { wantedPoint } from './resolution/did-version.js'

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
  role: 'member',
  tenancy: 'public',
  params: DidParams,
  querystring: Type.Object({
    ...AtQuery.properties,
    versionTime: when('The same as `at`, as an instant; without a fraction all of the second'),
    versionId: when('The same as `at`, as a block number'),
  }),
  response: { 200: DidDocument },
  errors: ['did_method_not_supported', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query }) => {
    const did = didParam(params.did, 'did')
    const at = wantedPoint(query)
    if (at !== undefined) return documentAt(ctx, did, at)
    const own = isDidKey(did) ? undefined : await ownPendingState(ctx, did)
    if (own !== undefined) return { ...apiDocument(own) }
    const state = await stateAt(ctx, did, undefined)
    if (state?.deactivated) throw notFound('DID')
    return { ...apiDocument(state ?? (await forgottenPendingState(ctx, did))) }
  },
})

async function documentAt(ctx: Context, did: Did, at: string) {
  const state = await stateAt(ctx, did, at)
  if (state === undefined) throw notFound('DID')
  return { ...apiDocument(state), didDocumentMetadata: didDocumentMetadata(state) }
}

/** Returns the ledger's state of a DID; a did:key follows from itself at every point. */
async function stateAt(ctx: Context, did: Did, requested: string | undefined): Promise<DidState | undefined> {
  if (isDidKey(did) && requested === undefined) return didKeyState(did)
  const at = await answerAt(ctx, requested)
  return isDidKey(did) ? didKeyState(did) : didStateAt(ctx.index, did, at)
}

/** The caller's own DID while the store is ahead of the ledger. */
async function ownPendingState(ctx: Context, did: Did): Promise<DidState | undefined> {
  if (!(await hasOpenJobs(ctx.db, { team: ctx.team, did }))) return undefined
  return ctx.db.read(ctx.scope, async (reader) => {
    const own = await anyOwnDid(reader, did)
    if (own === undefined || own.openJobs.length === 0) return undefined
    // A DID that was forgotten here goes on as the ledger has it; a refused one never existed.
    if (own.status === 'deleted' || own.status === 'failed') return undefined
    ctx.reply.header(PENDING_HEADER, 'true')
    if (own.status === 'deleting') throw notFound('DID')
    return storedDidState(reader, own)
  })
}

/** Returns the caller's DID that was forgotten before the ledger had it, which it will have all the same. */
function forgottenPendingState(ctx: Context, did: Did): Promise<DidState> {
  return ctx.db.read(ctx.scope, async (reader) => {
    const own = await anyOwnDid(reader, did)
    if (own?.status !== 'deleted' || own.openJobs.length === 0) throw notFound('DID')
    ctx.reply.header(PENDING_HEADER, 'true')
    return storedDidState(reader, own)
  })
}
