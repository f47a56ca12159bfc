import { Type } from 'typebox'
import { billAlone } from '../platform/database/bill-alone.js'
import { invalid } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE_CREDENTIAL } from '../platform/http/reference/examples.js'
import { verifyDocument } from '../verification/verify-credential.js'
import { NOTHING_ASKED } from '../verification/verify-request.js'
import { notVerified, refusals } from './problem-details.js'
import { ChecksWished, Document, Options, VC_API } from './vc-api.shape.js'
import { Verdict, verdictOf } from './verdict.js'

export const verifyVcApiCredential = operation({
  ...VC_API,
  url: '/vc-api/credentials/verify',
  operationId: 'verifyVcApiCredential',
  summary: 'Verify a credential',
  description:
    'POST /verify in the words of VC-API: 200 where it verifies, 400 with problemDetails where it does not. Every check that applies is made.',
  tenancy: 'public',
  body: Type.Object({
    verifiableCredential: Document('The credential'),
    options: Options({
      checks: ChecksWished,
      returnCredential: Type.Optional(Type.Boolean({ description: 'Whether the answer repeats the credential' })),
    }),
  }),
  examples: { 'A credential': { verifiableCredential: EXAMPLE_CREDENTIAL, options: {} } },
  response: { 200: Verdict },
  errors: ['not_verified', 'ledger_unavailable', 'limit_reached'],
  limits: { concurrencyPerAddress: 32 },
  refusals,
  handler: async (ctx, { body: { verifiableCredential: document, options = {} } }) => {
    if (ctx.formats.recognise(document).kind === 'presentation')
      throw invalid('verifiableCredential is a presentation: send it to /vc-api/presentations/verify')
    const answer = await verifyDocument(ctx, { ...NOTHING_ASKED, document })
    await billAlone(ctx, 'verification')
    if (!answer.verified) throw notVerified(answer.checks, answer.error)
    return { ...verdictOf([answer], options.checks), ...(options.returnCredential && { credential: document }) }
  },
})
