import { Type } from 'typebox'
import { JobStarted } from '../jobs/job.shape.js'
import { CredentialId } from '../platform/http/identifiers.js'
import { operation } from '../platform/http/operation.js'
import { changeCredentialStatus } from './change-status.js'

export const unrevokeCredential = operation({
  method: 'POST',
  url: '/credentials/:id/unrevoke',
  operationId: 'unrevokeCredential',
  tags: ['credentials'],
  summary: 'Take the revocation of a credential back',
  description: 'Does so for every credential of yours with this id. Refused where the registry is add-only.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  input: 'deciding',
  params: Type.Object({ id: CredentialId }),
  response: { 200: JobStarted },
  errors: ['registry_add_only', 'not_found'],
  handler: (ctx, { params }) => changeCredentialStatus(ctx, params.id, 'unrevoke'),
})
