import { registryAt } from '../ecosystems/registries/registry.queries.js'
import type { RegistryRef } from '../ecosystems/registries/slug.js'
import { type Findings, failed, isAnyPending } from '../formats/check.js'
import { type At, answerAt } from '../ledger/read/at.js'
import { billAlone } from '../platform/database/bill-alone.js'
import type { Context } from '../platform/http/context.js'
import { TOKEN_TYPES } from '../platform/http/input/request-body.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE, EXAMPLE_CREDENTIAL } from '../platform/http/reference/examples.js'
import type { TrustQuestion } from './authorised.js'
import { checkCredential, type Door } from './credential-checks.js'
import { checkPresentation } from './presentation-checks.js'
import { verificationDoor } from './verification-door.js'
import { readVerifyRequest, VerifyBody, type VerifyRequest } from './verify-request.js'
import { credentialResult, presentationResult, VerifyResult } from './verify-result.js'

export const verifyCredential = operation({
  method: 'POST',
  url: '/verify',
  operationId: 'verifyCredential',
  tags: ['presentations'],
  summary: 'Verify a credential or a presentation',
  description:
    'A schema and contexts that stand elsewhere are fetched once (https, 2 s) and kept for your team. Resources that a credential names with digests (relatedResource) are fetched and compared: another digest fails the check proof, and a resource that cannot be had is warned of. Every check is named in the answer and runs at the same point in time: now, or `at`. What applies and cannot be checked counts as failed, with the reason unavailable. A failed verification is a 200 with verified false. authorisedWhenIssued (had the issuer the right at the time that the proof claims) and holderBinding (the subject of each credential is the holder that signed the presentation) are told, and warned of; `require` names checks that must pass, these or others, and then what does not apply fails too. With maxStatusAgeSeconds a status that was had from its keeper longer ago is unavailable: a list that stands elsewhere is fetched again, and of the ledger the age of the oldest block counts that is not indexed yet; what is asked of the past is whole.',
  auth: 'key',
  role: 'member',
  tenancy: 'public',
  input: 'deciding',
  body: VerifyBody,
  bodyTypes: TOKEN_TYPES,
  examples: {
    'With the right of its issuer': { data: EXAMPLE_CREDENTIAL, trustRegistryId: EXAMPLE.trustRegistry },
    'A credential by itself': EXAMPLE_CREDENTIAL,
    'A token, which may also be sent by itself under its media type': EXAMPLE.token,
  },
  response: { 200: VerifyResult },
  errors: ['ledger_unavailable', 'limit_reached'],
  limits: { concurrencyPerAddress: 32 },
  idempotent: false,
  handler: async (ctx, { body }) => {
    const answer = await verifyDocument(ctx, readVerifyRequest(body))
    await billAlone(ctx, 'verification')
    return answer
  },
})

/** @param door the services for all documents of a request */
export async function verifyDocument(ctx: Context, request: VerifyRequest, door = verificationDoor(ctx)) {
  const until = performance.now() + ctx.config.ledger.waitMs
  for (;;) {
    const at = await ctx.rest(() => answerAt(ctx, request.at))
    const { isPending, answer } = await look(door, request, at)
    const left = until - performance.now()
    // The index will have the changes of our own store with one of the next blocks.
    if (isPending && left > 0 && (await ctx.rest(() => ctx.index.reaches(at.block + 1, left)))) continue
    return answer
  }
}

async function look(ctx: Door, request: VerifyRequest, at: At) {
  const given = ctx.formats.recognise(request.document)
  const question = { ...request, trustRegistryId: await registryIdOf(ctx, request.trustRegistry, at) }
  if (given.kind === 'presentation') {
    const outcome = await checkPresentation(ctx, question, given, at)
    const all = [outcome.presentation, ...outcome.credentials]
    return {
      isPending: all.some(({ findings }) => isAnyPending(findings)),
      answer: presentationResult(outcome, request.require),
    }
  }
  const { findings, proofs } = await checkCredential(ctx, question, given, at)
  const outcome = { findings: { ...findings, ...challengeOf(request) }, proofs }
  return { isPending: isAnyPending(findings), answer: credentialResult(outcome, request.require) }
}

/** A challenge needs a presentation: a credential in its place may be anybody's copy. */
const challengeOf = ({ challenge, domain }: VerifyRequest): Findings =>
  challenge === undefined && domain === undefined
    ? {}
    : { challenge: failed('no_presentation', 'a credential alone cannot carry the challenge or the domain') }

async function registryIdOf(
  ctx: Pick<Context, 'db'>,
  ref: RegistryRef | undefined,
  at: At,
): Promise<TrustQuestion['trustRegistryId']> {
  if (ref === undefined) return undefined
  if ('id' in ref) return ref.id
  const registry = await ctx.db.read('public', (reader) => registryAt(reader, at, ref))
  return registry?.id ?? 'unknown'
}
