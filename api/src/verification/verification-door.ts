import { documentTools } from '../credentials/issuing/document-tools.js'
import { passed, worstOf } from '../formats/check.js'
import { datesOf } from '../formats/json-ld/document-claims.js'
import { documentProofs } from '../formats/json-ld/document-proofs.js'
import type { Context } from '../platform/http/context.js'
import type { RemoteDocuments } from '../schemas/remote/remote-documents.js'
import type { Door } from './credential-checks.js'
import { errorOf, isVerified, judge } from './judgement.js'
import { checkProofs } from './proof-checks.js'
import { validity } from './validity.js'

/** Returns the services that the checks of one request may use. */
export function verificationDoor(ctx: Context, remoteDocuments: RemoteDocuments): Door {
  const tools = documentTools(ctx, { db: ctx.db, remoteDocuments })
  const requestSchemas = ctx.schemaChecks.forRequest(ctx.team)
  const { index, db, signer } = ctx
  return {
    ...ctx,
    requestSchemas,
    remoteDocuments,
    tools,
    async distrust(document, by, at) {
      const signed = documentProofs(document, 'assertionMethod')
      const proofs = await checkProofs({ index, db, signer, tools }, signed, { by, at })
      const judged = judge({
        ...worstOf([{ structure: passed() }, ...proofs.map((proof) => proof.findings)]),
        validity: validity(datesOf(document), signed, at.instant),
      })
      return isVerified(judged) ? undefined : errorOf(judged)
    },
  }
}
