import { Type } from 'typebox'
import { JobStarted } from '../jobs/job.shape.js'
import { CredentialId } from '../platform/http/identifiers.js'
import { operation } from '../platform/http/operation.js'
import { changeCredentialStatus } from './change-status.js'

export const revokeCredential = operation({
  method: 'POST',
  url: '/credentials/:id/revoke',
  operationId: 'revokeCredential',
  tags: ['credentials'],
  summary: 'Revoke a credential',
  description:
    'Revokes every credential of yours with this id, or none of them when there is one of which that cannot be done: 409 when none of your DIDs can change its registry any more, 400 when it was not issued as revocable. Revoking twice changes nothing. Unrevoking takes it back.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  input: 'deciding',
  params: Type.Object({ id: CredentialId }),
  response: { 200: JobStarted },
  errors: ['registry_add_only', 'not_found'],
  handler: (ctx, { params }) => changeCredentialStatus(ctx, params.id, 'revoke'),
})
