import { notOfferedYet } from '../platform/http/not-offered.js'
import type { Served } from '../platform/http/operation.js'
import { getBatchResult } from './batch/get-batch-result.js'
import { issueBatch } from './batch/issue-batch.js'
import { revokeBatch } from './batch/revoke-batch.js'
import { deleteCredential } from './delete-credential.js'
import { getCredential } from './get-credential.js'
import { issueCredential } from './issuing/issue-credential.js'
import { getPersistedCredential } from './keeping/get-persisted-credential.js'
import { listCredentials } from './list-credentials.js'
import { revokeCredential } from './revoke-credential.js'
import { unrevokeCredential } from './unrevoke-credential.js'

export const credentials: Served = {
  operations: [
    listCredentials,
    issueCredential,
    issueBatch,
    getBatchResult,
    revokeBatch,
    getCredential,
    deleteCredential,
    revokeCredential,
    unrevokeCredential,
    getPersistedCredential,
  ],
  register: async (app) => notOfferedYet(app, '/credentials/request-claims', 'Requests for claims are'),
}
