import { documentTools } from '../credentials/issuing/document-tools.js'
import { DidDocuments } from '../dids/foreign/did-documents.js'
import type { Context } from '../platform/http/context.js'
import { RemoteDocuments } from '../schemas/remote/remote-documents.js'
import type { Door } from './credential-checks.js'
import { distrustOf } from './distrust.js'

/** Returns the services that the checks of one request may use. */
export function verificationDoor(ctx: Context): Door {
  const remoteDocuments = new RemoteDocuments(ctx, false)
  const didDocuments = new DidDocuments(ctx)
  const tools = documentTools(ctx, { db: ctx.db, remoteDocuments })
  return {
    ...ctx,
    requestSchemas: ctx.schemaChecks.forRequest(ctx.team),
    remoteDocuments,
    tools,
    didDocuments,
    distrust: distrustOf(ctx, { tools, didDocuments }),
  }
}
