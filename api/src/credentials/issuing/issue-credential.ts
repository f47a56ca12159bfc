import { parseHex32 } from '@accredit/chain'
import type { Static } from 'typebox'
import type { Credential, CredentialFormat } from '../../formats/credential-format.js'
import { asArray, isObject, type Json } from '../../formats/json.js'
import { dataModelOf } from '../../formats/json-ld/data-model.js'
import { checkBytes, checkClaims, checkTexts } from '../../formats/json-ld/limits.js'
import { ApiError, invalid, notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { pointerTo } from '../../platform/http/input/pointer.js'
import { isBlank } from '../../platform/http/input/spellings.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { issuingRegistry } from '../../revocation/automatic-registry.js'
import { findOwnRegistry, requireOpen } from '../../revocation/registry.store.js'
import { RemoteDocuments } from '../../schemas/remote/remote-documents.js'
import type { RegistryRow } from '../../status/registry.store.js'
import type { StatusMethod } from '../../status/status-method.js'
import { IssuedCredential, IssueRequest } from '../credential.shape.js'
import { recipientOf } from '../delivery/distribution.js'
import { compareResources } from './compare-resources.js'
import { compareDocument, schemaFor } from './compare-schema.js'
import { generatedId, requireOwnIds } from './credential-id.js'
import { type CredentialInput, credentialRules, ownStatuses, readCredential } from './credential-input.js'
import { asAnswer } from './format-errors.js'
import { contextsOf } from './hosted.js'
import { forgetIssuer, type Issuer, issuerOf, KeyMissing } from './issuer.js'
import { addMissingKey, isAdded } from './missing-key.js'
import { checkDraft, checkStatuses, partsOf, signAndStore, tellLeftOut } from './sign-credential.js'
import type { Signing } from './store-signed.js'

export const issueCredential = operation({
  method: 'POST',
  url: '/credentials',
  operationId: 'issueCredential',
  tags: ['credentials'],
  summary: 'Issue a credential',
  description:
    'Signs the credential with the key of its issuer, a DID of yours. An id under the addresses of this service must be one that your team was given: the id of a credential of yours, exactly as it was answered; any other is 409. The first revocable credential of an issuer waits until its registry is on the ledger. A schema and contexts that stand elsewhere are fetched once (https, 2 s; a schema of 64 kB, a context of 256 kB) and kept for your team: what was fetched counts from then on, also when you verify. Where the schema cannot be had, that is a 400; a context that cannot be had is left out, and its terms are generated: the header Accredit-Context-Left-Out names it. Resources that the credential names in relatedResource are fetched (at most 4, of 1 MB each) and must have the digests that it names; those that cannot be had are named in the header Accredit-Not-Compared. A null inside the subject, and any other member without content, is left out of what is signed; the header Accredit-Ignored names it. A credential in jsonld is one of data model 1.1, or of 2.0 where https://www.w3.org/ns/credentials/v2 is the first of its contexts: its dates are validFrom and validUntil then, whatever the request calls them, a schema elsewhere that it names with the type JsonSchema is about the whole credential, and it is signed with ed25519, eddsa-rdfc-2022, eddsa-jcs-2022 or bjj-2021 (also called bjj). Algorithms whose names contain bbs, and bbdt16, sign each member by itself, so that holders show what they want of a credential: each value has to be one that a number can stand for (no empty list or object, no number above 2^53 or finer than six digits, no dot in a name), and a DID that has no key of the kind gets one first, by a job that the header Accredit-Job names. They are revoked by accumulators (DockVBAccumulator2022). Only the service of its issuer can verify a credential with bbdt16. The format jsonld is answered as an object, the others as a compact token in a JSON string: jwt (VC-JWT), sdjwt (SD-JWT VC of the type dc+sd-jwt; its type, vct, is the one that you name, or the schema) and vc+sd-jwt (the same of the older type). Of these two a holder may leave out each claim of the subject that the schema does not mark with "sd": "never"; members that they have no place for are named in Accredit-Ignored. A revocable credential gets an entry of its form: StatusList2021Entry in data model 1.1 and VC-JWT, BitstringStatusListEntry in data model 2.0, status_list (Token Status List) in SD-JWTs, also in a registry of another type of lists that it names. cnf (RFC 7800) names the key that a holder has to prove. distribute sends the credential to recipientEmail, in English or Turkish as Accept-Language prefers, where the deployment has a mail server; to a DID nothing is sent yet, and a recipientDID beside recipientEmail is named in Accredit-Ignored. It never fails the issuing: Accredit-Distribution says email, with the job that tells what became of the mail, or none with the reason. A mail that its server does not take is tried again for a day; one that it refuses ends the job with error not_delivered. The job ends when the server has taken the mail; where the deployment is told that it came back later, the job becomes an error not_delivered with the status of the bounce. After a crash a mail may come twice, with one Message-ID.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  body: IssueRequest,
  examples: {
    'Signed, and revocable': {
      revocable: true,
      credential: {
        issuer: EXAMPLE.issuer,
        schema: EXAMPLE.schema,
        type: ['UniversityDegreeCredential'],
        subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics' },
      },
    },
    'Its holder shows single claims': {
      algorithm: 'svcbbs',
      credential: { issuer: EXAMPLE.issuer, subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics' } },
    },
    'As an SD-JWT for the key of its holder': {
      format: 'sdjwt',
      credential: {
        issuer: EXAMPLE.issuer,
        type: ['UniversityDegreeCredential'],
        subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics' },
        cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } },
      },
    },
    'In data model 2.0, with a Data Integrity proof': {
      algorithm: 'eddsa-rdfc-2022',
      credential: {
        context: ['https://www.w3.org/ns/credentials/v2'],
        issuer: EXAMPLE.issuer,
        validUntil: '2090-01-01T00:00:00Z',
        subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics' },
      },
    },
    'Sent to its holder by mail': {
      distribute: true,
      recipientEmail: 'graduate@example.org',
      credential: { issuer: EXAMPLE.issuer, subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics' } },
    },
    'A copy is kept under a password': {
      persist: true,
      password: 'correct horse',
      credential: { issuer: EXAMPLE.issuer, subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics' } },
    },
  },
  rules: credentialRules,
  response: { 200: IssuedCredential },
  errors: [
    'unsupported_format',
    'status_method_not_available',
    'schema_mismatch',
    'limit_reached',
    'too_many',
    'not_found',
  ],
  handler: (ctx, { body }) => issue(ctx, body),
})

export type IssueBody = Static<typeof IssueRequest>

/** Signs the credential of a request, and stores what is to be kept of it. */
export async function issue(ctx: Context, body: IssueBody): Promise<Credential> {
  const choice = formatOf(ctx, body)
  if (body.persist && !body.password) throw invalid('persist needs a password')
  // There are no templates yet, so that no id of one exists.
  if (body.template) throw notFound('Template')
  const input = await asAnswer(() => readRequest(body))
  ctx.ignore(input.ignored)
  tellUndone(ctx, body)
  const recipient = recipientOf(ctx, body, input.issuer !== undefined)
  await requireOwnIds(ctx, input)
  if (!input.issuer) return unsigned(ctx, body, choice.format, input)
  const { did } = input.issuer
  const asked = { ...choice, input, did }
  const prepared = await prepare(ctx, body, asked)
  return signAndStore(ctx, { ...body, recipient }, prepared, () => prepare(ctx, body, asked, 'again'))
}

function formatOf({ formats }: Context, { algorithm, format }: IssueBody): Pick<Signing, 'format' | 'algorithm'> {
  const found = formats.find(format, algorithm || undefined)
  if (!found) throw new ApiError('unsupported_format', `The format ${format} is not available; use jsonld`)
  if ('algorithms' in found) {
    const names = found.algorithms.join(' or ')
    throw new ApiError('unsupported_format', `The algorithm ${algorithm} is not available; use ${names}`)
  }
  return found
}

function readRequest(body: IssueBody): CredentialInput {
  const { credential } = body
  if (!isObject(credential)) throw invalid('credential must be an object')
  // The size is checked before a context is made for the credential, and with it once more.
  checkBytes(credential)
  checkTexts(credential)
  const input = readCredential(credential)
  checkClaims(input.subject)
  return input
}

/** Names requested effects that do not happen. */
function tellUndone({ ignore }: Context, body: IssueBody): void {
  const { distribute, persist, anchor, password, recipientDID, recipientEmail } = body
  const unused = {
    password: !persist && password,
    anchor,
    recipientDID: (!distribute || recipientEmail) && recipientDID,
    recipientEmail: !distribute && recipientEmail,
  }
  ignore(Object.entries(unused).flatMap(([name, value]) => (isBlank(value || null) ? [] : [pointerTo([name])])))
}

/**
 * Everything about issuer, schema and registry that issuing needs.
 * @param again the issuer is read anew: it is no longer as it was
 */
async function prepare(
  ctx: Context,
  body: IssueBody,
  { did, ...asked }: Pick<Signing, 'format' | 'algorithm' | 'input'> & { did: string },
  again?: 'again',
): Promise<Signing> {
  const { algorithm, input } = asked
  const form = statusFormOf(ctx, body, asked)
  const materials = await materialsOf(ctx, input)
  const named = form && typeof input.status === 'string' ? await namedRegistry(ctx, input.status, form) : undefined
  const method = named === undefined ? form : undefined
  const draft = { ...asked, ...materials, registry: named, form }
  const question = { did, algorithm, registryType: method?.registryType }
  if (again) forgetIssuer(ctx, question)
  const issuer = await issuerOf(ctx, question).catch(async (error: unknown) => {
    if (!(error instanceof KeyMissing) || !isAdded(algorithm.keyKind)) throw error
    // A key cannot be taken back either.
    await checkDraft(ctx, { ...draft, issuer: issuerToBe(did) }, method)
    await addMissingKey(ctx, did, algorithm.keyKind)
    forgetIssuer(ctx, question)
    return issuerOf(ctx, question)
  })
  const { registry: present } = issuer
  const signing = { ...draft, issuer }
  if (method === undefined) return signing
  // A registry cannot be taken back: a credential that cannot be signed must not leave one behind.
  if (!present) await checkDraft(ctx, signing, method)
  return { ...signing, registry: await issuingRegistry(ctx, { issuer: did, method, present }) }
}

/** The issuer before it has the key that will sign. */
const issuerToBe = (did: string): Issuer => ({
  did,
  key: { keyRef: '', publicKeyHex: '0x', verificationMethod: `${did}#key` },
  profile: undefined,
  registry: undefined,
})

/**
 * Returns the method whose entry a credential gets, for a place of its own or in a registry that it names; undefined: it
 * asks for none.
 * @throws 400 where its kind has another way to be revoked than those that are here
 */
function statusFormOf(
  { statusMethods }: Context,
  { revocable }: IssueBody,
  { algorithm, format, input }: Pick<Signing, 'format' | 'algorithm' | 'input'>,
): StatusMethod | undefined {
  const isAutomatic = revocable && input.status === undefined
  if (!isAutomatic && typeof input.status !== 'string') return undefined
  const type = format.registryTypeFor(algorithm, input.contexts)
  const method = statusMethods.ofRegistry(type)
  if (method === undefined)
    throw new ApiError(
      'status_method_not_available',
      `A revocable credential of this kind needs a status of type ${type}, which is not available yet: leave revocable and status out`,
    )
  return method
}

async function materialsOf(ctx: Context, input: CredentialInput) {
  const documents = { db: ctx.db, remoteDocuments: new RemoteDocuments(ctx, true) }
  const schema = input.schema === undefined ? undefined : await schemaFor(ctx, documents, input.schema, input)
  const { contexts, missing } = await asAnswer(() => contextsOf(documents, schema?.contextUrl, input.contexts))
  const { relatedResource } = dataModelOf(input.contexts) === '2.0' ? input.others : {}
  if (relatedResource !== undefined) await checkResources(ctx, documents.remoteDocuments, asArray(relatedResource))
  return { schema, extraContexts: contexts, missing }
}

/** Refuses a resource with another digest than the credential names, and tells of those that cannot be had. */
async function checkResources({ reply, isStrict }: Context, remote: RemoteDocuments, resources: readonly Json[]) {
  const { other, missing } = await compareResources(remote, resources)
  if (other !== undefined)
    throw invalid(`${other.slice(0, 200)} has another digest than credential.relatedResource names`)
  const [first] = missing
  if (first === undefined) return
  const [url, reason] = first
  if (isStrict)
    throw invalid(
      `${url.slice(0, 200)} cannot be compared with its digest, and the request prefers strict handling: ${reason}`,
    )
  reply.header('Accredit-Not-Compared', [...missing.keys()].map(encodeURI).join(' ').slice(0, 1000))
}

/** @throws 400 where it gives no places to credentials of this kind */
async function namedRegistry(ctx: Context, text: string, form: StatusMethod): Promise<RegistryRow> {
  const id = parseHex32(text)
  const registry = id && (await ctx.db.read(ctx.scope, (reader) => findOwnRegistry(reader, ctx.team, id)))
  if (!registry || registry.status === 'removing') throw notFound('Registry')
  requireOpen(registry)
  if (ctx.statusMethods.of(registry).ledgerKind !== form.ledgerKind)
    throw invalid(
      `A credential of this kind has a status of type ${form.registryType}, which a registry of type ${registry.type} cannot hold`,
    )
  if (!form.purposes.includes(registry.purpose))
    throw invalid(
      `A credential of this kind has a status of type ${form.registryType}, which cannot be for the purpose ${registry.purpose}`,
    )
  return registry
}

/** Answers a credential without an issuer, which is neither signed nor kept. */
async function unsigned(ctx: Context, body: IssueBody, format: CredentialFormat, input: CredentialInput) {
  if (body.revocable || typeof input.status === 'string') throw invalid('A revocable credential needs an issuer')
  if (body.persist) throw invalid('Only a signed credential can be persisted: name an issuer')
  if (!format.unsigned) throw invalid(`A credential in the format ${format.name} is always signed: name an issuer`)
  const { missing, ...materials } = await materialsOf(ctx, input)
  const known = { input, profile: undefined, ...materials }
  const parts = partsOf(ctx, known, input.id ?? generatedId(ctx), ownStatuses(input))
  const write = format.unsigned
  const { credential, claims, leftOut } = await asAnswer(() => write(parts))
  await asAnswer(() => checkStatuses(ctx, claims))
  await compareDocument(ctx, materials.schema, claims)
  tellLeftOut(ctx, leftOut, missing)
  ctx.reply.header('Accredit-Unsigned', 'true')
  return credential
}
