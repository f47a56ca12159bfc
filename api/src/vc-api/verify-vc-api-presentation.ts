import { Type } from 'typebox'
import { asArray, isObject, type JsonObject } from '../formats/json.js'
import { LIMITS } from '../formats/json-ld/limits.js'
import { invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE_CREDENTIAL } from '../platform/http/reference/examples.js'
import { verificationDoor } from '../verification/verification-door.js'
import { verifyDocument } from '../verification/verify-credential.js'
import { NOTHING_ASKED } from '../verification/verify-request.js'
import { notVerified, refusals } from './problem-details.js'
import { ChecksWished, Document, Options, VC_API } from './vc-api.shape.js'
import { Verdict, verdictOf } from './verdict.js'

const text = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }))

const EXAMPLE_PRESENTATION = {
  '@context': ['https://www.w3.org/2018/credentials/v1'],
  type: ['VerifiablePresentation'],
  verifiableCredential: [EXAMPLE_CREDENTIAL],
}

export const verifyVcApiPresentation = operation({
  ...VC_API,
  url: '/vc-api/presentations/verify',
  operationId: 'verifyVcApiPresentation',
  summary: 'Verify a presentation',
  description:
    'POST /verify in the words of VC-API: 200 where the presentation and each credential in it verify, 400 with problemDetails where one does not. A presentation without a proof proves nothing of who shows it: it stands or falls with its credentials, and has no challenge or domain.',
  tenancy: 'public',
  body: Type.Object({
    verifiablePresentation: Document('The presentation'),
    options: Options({
      checks: ChecksWished,
      challenge: text('The challenge that it must answer'),
      domain: text('The domain that it must be for'),
      returnPresentation: Type.Optional(Type.Boolean({ description: 'Whether the answer repeats the presentation' })),
    }),
  }),
  examples: { 'Without a proof of its own': { verifiablePresentation: EXAMPLE_PRESENTATION, options: {} } },
  response: { 200: Verdict },
  errors: ['not_verified', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 32 },
  refusals,
  handler: async (ctx, { body: { verifiablePresentation: document, options = {} } }) => {
    if (!asArray(document.type).includes('VerifiablePresentation'))
      throw invalid('The type of verifiablePresentation must hold VerifiablePresentation')
    const { challenge, domain, checks, returnPresentation } = options
    const isSigned = document.proof !== undefined
    if (!isSigned && (challenge !== undefined || domain !== undefined))
      throw invalid('A presentation without a proof carries no challenge and no domain')
    const answers = isSigned
      ? [await verifyDocument(ctx, { ...NOTHING_ASKED, document, challenge, domain })]
      : await verifyEach(ctx, document)
    const wrong = answers.find(({ verified }) => !verified)
    if (wrong) throw notVerified(wrong.checks, wrong.error)
    return { ...verdictOf(answers, checks), ...(returnPresentation && { presentation: document }) }
  },
})

/** Verifies the credentials of a presentation without a proof. */
async function verifyEach(ctx: Context, { verifiableCredential }: JsonObject) {
  const credentials = asArray(verifiableCredential)
  const most = LIMITS.credentialsOfPresentation
  if (credentials.length === 0 || credentials.length > most)
    throw invalid(`A presentation holds 1 to ${most} credentials, and this one ${credentials.length}`)
  const door = verificationDoor(ctx)
  const answers = []
  for (const document of credentials) {
    if (typeof document !== 'string' && !isObject(document)) throw invalid('A credential is an object or a token')
    if (isObject(document) && asArray(document.type).includes('VerifiablePresentation'))
      throw invalid('A presentation holds credentials, and no presentations')
    answers.push(await verifyDocument(ctx, { ...NOTHING_ASKED, document }, door))
  }
  return answers
}
