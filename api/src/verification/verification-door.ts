import { documentTools } from '../credentials/issuing/document-tools.js'
import { DidDocuments } from '../dids/foreign/did-documents.js'
import { shareOf } from '../ledger/write/share.js'
import type { Context } from '../platform/http/context.js'
import { RemoteDocuments } from '../schemas/remote/remote-documents.js'
import type { Door } from './credential-checks.js'
import { distrustOf } from './distrust.js'

/** Returns the services that the checks of one request may use. */
export function verificationDoor(ctx: Context): Door {
  const remoteDocuments = new RemoteDocuments(ctx, false)
  const didDocuments = new DidDocuments(ctx)
  const tools = documentTools(ctx, { db: ctx.db, remoteDocuments })
  const share = shareOf(ctx, ctx.team)
  const { clock, config, db, formats, guardedFetch, index, signer, statusMethods, team } = ctx
  return {
    clock,
    config,
    db,
    formats,
    guardedFetch,
    index,
    signer,
    statusMethods,
    team,
    requestSchemas: ctx.schemaChecks.forRequest(ctx.team),
    remoteDocuments,
    tools,
    didDocuments,
    share,
    distrust: distrustOf(ctx, { tools, didDocuments, share }),
  }
}
