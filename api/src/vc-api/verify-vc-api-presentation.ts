import { Type } from 'typebox'
import type { CheckName, Finding } from '../formats/check.js'
import { asArray, isObject, type JsonObject } from '../formats/json.js'
import { datesOf } from '../formats/json-ld/document-claims.js'
import { LIMITS } from '../formats/json-ld/limits.js'
import { wrongInPresentationDocument } from '../formats/json-ld/recognise-document.js'
import { billAlone } from '../platform/database/bill-alone.js'
import { invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE_CREDENTIAL } from '../platform/http/reference/examples.js'
import { validity } from '../verification/validity.js'
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
  errors: ['not_verified', 'ledger_unavailable', 'limit_reached'],
  limits: { concurrencyPerAddress: 32 },
  refusals,
  handler: async (ctx, { body: { verifiablePresentation: document, options = {} } }) => {
    if (ctx.formats.recognise(document).kind !== 'presentation')
      throw invalid('verifiablePresentation is no presentation: its type must hold VerifiablePresentation')
    const { challenge, domain, checks, returnPresentation } = options
    const isSigned = document.proof !== undefined || !isDocument(document)
    if (!isSigned && (challenge !== undefined || domain !== undefined))
      throw invalid('A presentation without a proof carries no challenge and no domain')
    const answers = isSigned
      ? [await verifyDocument(ctx, { ...NOTHING_ASKED, document, challenge, domain })]
      : await verifyEach(ctx, document)
    await billAlone(ctx, 'verification')
    const wrong = answers.find(({ verified }) => !verified)
    if (wrong) throw notVerified(wrong.checks, wrong.error)
    const verdict = verdictOf(answers, checks)
    const warnings = isSigned || document.holder === undefined ? verdict.warnings : [NOT_PROVEN, ...verdict.warnings]
    return { ...verdict, warnings, ...(returnPresentation && { presentation: document }) }
  },
})

const NOT_PROVEN = 'The presentation names a holder, and has no proof of it'

/** Tells whether its proof, if it has one, stands in it: a token in a document is its own. */
const isDocument = ({ type }: JsonObject): boolean => asArray(type).includes('VerifiablePresentation')

/** Verifies the credentials of a presentation without a proof, of which only the form and the dates can be wrong. */
async function verifyEach(ctx: Context, document: JsonObject) {
  const credentials = asArray(document.verifiableCredential)
  const most = LIMITS.credentialsOfPresentation
  if (credentials.length === 0 || credentials.length > most)
    throw invalid(`A presentation holds 1 to ${most} credentials, and this one ${credentials.length}`)
  refuseWrong('structure', wrongInPresentationDocument(document))
  refuseWrong('validity', validity(datesOf(document), [], ctx.clock.now()))
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

function refuseWrong(check: CheckName, finding: Finding | undefined): void {
  if (finding?.passed !== false) return
  const { detail, ...found } = finding
  throw notVerified([{ ...found, check, required: true }], `The check ${check} failed: ${detail}`)
}
