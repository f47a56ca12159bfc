import { documentTools } from '../credentials/issuing/document-tools.js'
import { datesOf } from '../formats/json-ld/document-claims.js'
import { documentProofs } from '../formats/json-ld/document-proofs.js'
import type { Context } from '../platform/http/context.js'
import { RemoteDocuments } from '../schemas/remote/remote-documents.js'
import type { Door } from './credential-checks.js'
import { errorOf, isVerified, judge } from './judgement.js'
import { checkSigned } from './signed-checks.js'

/** Returns the services that the checks of one request may use. */
export function verificationDoor(ctx: Context): Door {
  const remoteDocuments = new RemoteDocuments(ctx, false)
  const tools = documentTools(ctx, { db: ctx.db, remoteDocuments })
  return {
    ...ctx,
    requestSchemas: ctx.schemaChecks.forRequest(ctx.team),
    remoteDocuments,
    tools,
    async distrust(document, by, at) {
      const signed = { dates: datesOf(document), proofs: documentProofs(document, 'assertionMethod') }
      const judged = judge((await checkSigned({ ...ctx, tools }, signed, { by, at })).findings)
      return isVerified(judged) ? undefined : errorOf(judged)
    },
  }
}
