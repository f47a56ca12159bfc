import type { Served } from '../platform/http/operation.js'
import { explainInvitation } from './explain-invitation.js'
import { getEcosystemPage } from './get-ecosystem-page.js'
import { serveVerifier } from './proof/verifier-files.js'

export const pages: Served = {
  operations: [getEcosystemPage, explainInvitation],
  register: async (app) => serveVerifier(app),
}
