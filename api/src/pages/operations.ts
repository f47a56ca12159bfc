import type { Served } from '../platform/http/operation.js'
import { explainInvitation } from './explain-invitation.js'
import { getEcosystemPage } from './get-ecosystem-page.js'

export const pages: Served = { operations: [getEcosystemPage, explainInvitation] }
