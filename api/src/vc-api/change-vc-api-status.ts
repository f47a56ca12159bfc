import { Type } from 'typebox'
import { changeCredentialStatus } from '../credentials/change-status.js'
import { waitForJob } from '../ledger/write/wait-for-job.js'
import { ApiError, invalid } from '../platform/errors.js'
import { CredentialId } from '../platform/http/identifiers.js'
import { NothingToSay, operation } from '../platform/http/operation.js'
import { EXAMPLE_CREDENTIAL } from '../platform/http/reference/examples.js'
import { refusals } from './problem-details.js'
import { VC_API } from './vc-api.shape.js'

export const changeVcApiStatus = operation({
  ...VC_API,
  url: '/vc-api/credentials/status',
  operationId: 'changeVcApiStatus',
  summary: 'Revoke a credential, or take that back',
  description:
    'POST /credentials/{id}/revoke and /unrevoke in the words of VC-API. The answer comes when the ledger has the change; Accredit-Pending: true says that it takes longer, and Accredit-Job names its job.',
  tenancy: 'owned',
  body: Type.Object({
    credentialId: CredentialId,
    credentialStatus: Type.Object(
      {
        type: Type.String({ maxLength: 64, description: 'The type of the status entry' }),
        statusPurpose: Type.Optional(
          Type.String({ maxLength: 64, description: 'The purpose of its registry; default: whatever that is' }),
        ),
      },
      {
        additionalProperties: true,
        description: 'The status that is changed; other members of the entry may stand here',
      },
    ),
    status: Type.Boolean({ description: 'true: set, which means revoked or what the purpose says' }),
  }),
  examples: {
    'It is revoked': {
      credentialId: EXAMPLE_CREDENTIAL.id,
      credentialStatus: { type: 'StatusList2021Entry', statusPurpose: 'revocation' },
      status: true,
    },
  },
  response: { 200: NothingToSay },
  errors: ['registry_add_only', 'not_found', 'ledger_unavailable'],
  refusals,
  handler: async (ctx, { body: { credentialId, credentialStatus, status } }) => {
    const { type, statusPurpose } = credentialStatus
    if (ctx.statusMethods.ofEntry({ type }) === undefined)
      throw invalid(`There are no status entries of type ${type.slice(0, 64)} here`)
    const { id } = await changeCredentialStatus(ctx, credentialId, status ? 'revoke' : 'unrevoke', statusPurpose)
    const job = await waitForJob(ctx, id)
    if (job.status === 'error')
      throw new ApiError('conflict', `The ledger refused: ${String(job.result.message ?? 'no reason given')}`)
    return {}
  },
})
