import { Type } from 'typebox'
import { issue } from '../credentials/issuing/issue-credential.js'
import type { Credential } from '../formats/credential-format.js'
import type { JsonObject } from '../formats/json.js'
import { invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { refusalOf } from '../platform/http/problems.js'
import { EXAMPLE } from '../platform/http/reference/examples.js'
import { refusals } from './problem-details.js'
import { problemsIn } from './standard-credential.js'
import { Document, Options, VC_API } from './vc-api.shape.js'

const FORMAT = 'jsonld'

const EXAMPLE_TO_ISSUE = {
  '@context': ['https://www.w3.org/2018/credentials/v1'],
  type: ['VerifiableCredential'],
  issuer: EXAMPLE.issuer,
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:graduate' },
}

export const issueVcApiCredential = operation({
  ...VC_API,
  url: '/vc-api/credentials/issue',
  operationId: 'issueVcApiCredential',
  summary: 'Issue a credential',
  description:
    'POST /credentials in the words of VC-API: a JSON-LD credential of the data model, with its names only, whose issuer is a DID of yours.',
  creates: true,
  tenancy: 'owned',
  body: Type.Object({
    credential: Document('The credential without a proof'),
    options: Options({
      cryptosuite: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'The cryptosuite, or the algorithm as POST /credentials names it; default: its default',
        }),
      ),
      credentialStatus: Type.Optional(
        Type.Object(
          { type: Type.String({ maxLength: 64, description: 'The type of its entry' }) },
          { additionalProperties: false, description: 'Gives it a place in the revocation registry of its issuer' },
        ),
      ),
    }),
  }),
  examples: { 'By a DID of yours': { credential: EXAMPLE_TO_ISSUE, options: {} } },
  response: {
    200: Type.Object({
      verifiableCredential: Type.Unsafe<Credential>(
        Type.Object({}, { additionalProperties: true, description: 'The credential with its proof' }),
      ),
    }),
  },
  errors: ['unsupported_format', 'schema_mismatch', 'limit_reached', 'too_many', 'not_found', 'ledger_unavailable'],
  refusals,
  handler: async (ctx, { body: { credential, options = {} } }) => {
    const problems = problemsIn(credential)
    if (problems.length > 0) throw refusalOf(problems)
    const { cryptosuite, credentialStatus } = options
    if (credentialStatus !== undefined) requireType(ctx, credential, cryptosuite, credentialStatus.type)
    const verifiableCredential = await issue(ctx, {
      credential,
      format: FORMAT,
      algorithm: cryptosuite ?? '',
      persist: false,
      distribute: false,
      revocable: credentialStatus !== undefined,
    })
    return { verifiableCredential }
  },
})

/** Refuses a status of another type than the one that a revocable credential of this form gets. */
function requireType(
  { formats }: Context,
  credential: JsonObject,
  cryptosuite: string | undefined,
  type: string,
): void {
  const choice = formats.find(FORMAT, cryptosuite)
  if (choice === undefined || 'algorithms' in choice) return
  const contexts = Array.isArray(credential['@context']) ? credential['@context'] : []
  const own = choice.format.registryTypeFor(choice.algorithm, contexts)
  if (type !== own) throw invalid(`The status of such a credential is of type ${own}, not ${type.slice(0, 64)}`)
}
