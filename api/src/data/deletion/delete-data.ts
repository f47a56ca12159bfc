import { Type } from 'typebox'
import { holdStanding } from '../../accounts/standing.js'
import { closeTeam } from '../../accounts/teams/close-team.store.js'
import { operation } from '../../platform/http/operation.js'
import { Deleted, requireMeant, Validation } from './asked-deletion.js'

export const deleteData = operation({
  method: 'POST',
  url: '/data/delete',
  operationId: 'deleteData',
  tags: ['data'],
  summary: 'Delete your team with all its data',
  description:
    'Its keys, sessions and web hooks end at once, in every replica within a second, and those of its sub-accounts. Everything that it has is deleted then, and its private keys are destroyed; GET /data/deletions/{id} tells how far that is. What is public stays without the names of your team: ecosystems with their history, schemas, status lists. Its DIDs stay on the ledger as they are, and nobody can act for them any more, so that credentials that they issued go on being verified, but for those with bbdt16, which nobody can check without the private key: delete a DID before (DELETE /dids/{did}) to deactivate it, and hand over an ecosystem that shall go on (PATCH /trust-registries/{id}). People keep their accounts.',
  auth: 'account',
  role: 'owner',
  tenancy: 'owned',
  body: Type.Object({ validation: Validation }),
  examples: { 'The address of the owner': { validation: 'owner@example.org' } },
  response: { 200: Deleted },
  // A retry would need the key that it ended.
  idempotent: false,
  limits: { bodyBytes: 4096 },
  handler: (ctx, { body }) =>
    ctx.db.transaction('system', async (tx) => {
      await holdStanding(tx, ctx)
      await requireMeant(tx, ctx, body.validation)
      return { code: 200, deletions: [await closeTeam(tx, ctx, ctx.team)] }
    }),
})
