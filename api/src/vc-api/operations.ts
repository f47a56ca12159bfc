import type { Served } from '../platform/http/operation.js'
import { changeVcApiStatus } from './change-vc-api-status.js'
import { issueVcApiCredential } from './issue-vc-api-credential.js'
import { verifyVcApiCredential } from './verify-vc-api-credential.js'
import { verifyVcApiPresentation } from './verify-vc-api-presentation.js'

export const vcApi: Served = {
  operations: [issueVcApiCredential, verifyVcApiCredential, verifyVcApiPresentation, changeVcApiStatus],
}
