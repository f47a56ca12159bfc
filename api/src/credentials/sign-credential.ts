import { lacksKey, type SigningKey, signingKey } from '../dids/did.store.js'
import { SuiteError } from '../formats/format-error.js'
import { asArray, isObject, type JsonObject, textOf } from '../formats/json.js'
import type { HashOf } from '../formats/json-ld/canonical/canonize.js'
import { readStatus, wrongInCredential } from '../formats/json-ld/canonical/credential-form.js'
import { checkLimits } from '../formats/json-ld/limits.js'
import { addProof } from '../formats/json-ld/linked-data-proof.js'
import type { SignatureSuite } from '../formats/json-ld/suite.js'
import type { Reader, Tx } from '../platform/database/database.js'
import type { Context } from '../platform/http/context.js'
import { ApiError, invalid } from '../platform/http/errors.js'
import { toSeconds } from '../platform/process/clock.js'
import { bookIndex, type RegistryRow } from '../revocation/registry.store.js'
import { revocationIdOf } from '../revocation/revocation-id.js'
import { indexFrom, placeOfList, statusEntry } from '../revocation/status-entry.js'
import { CREDENTIAL_EVENTS } from './credential.events.js'
import { insertCredential } from './credential.store.js'
import { buildDocument, type CredentialDocument, type DocumentParts } from './credential-document.js'
import { generatedId } from './credential-id.js'
import type { CredentialInput } from './credential-input.js'
import { sealCredential } from './open-credential.js'
import { asAnswer } from './suite-errors.js'

export interface Signing extends Pick<DocumentParts, 'profile' | 'schema' | 'contexts'> {
  suite: SignatureSuite
  input: CredentialInput
  issuer: string
  key: SigningKey
  /** Where its status will stand; undefined: not revocable, or with a status of the caller's own. */
  registry: RegistryRow | undefined
  /** Why contexts that it names cannot be had, by their URLs. */
  missing: ReadonlyMap<string, string>
}

export interface Keeping {
  persist: boolean
  password?: string | null
  template?: string | null
}

type SignedCredential = CredentialDocument & { proof: JsonObject }

/** An index is taken with the probability that the list is full, at most four fifths in automatic registries. */
const MAX_TRIES = 100

/**
 * Signs the credential and stores what has to be known of it, in one transaction with its place in the registry. The
 * index is signed, so another one is drawn and signed when somebody else was faster; a key that was rotated meanwhile
 * is no longer the issuer's, so the new one signs.
 */
export async function signAndStore(ctx: Context, keeping: Keeping, prepared: Signing): Promise<SignedCredential> {
  const id = generatedId(ctx)
  let signing = prepared
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const index = signing.registry && indexFrom(ctx.random.bytes(4), signing.registry.length)
    const signed = await asAnswer(() => sign(ctx, signing, id, index))
    const text = JSON.stringify(signed)
    const sealed = keeping.persist && keeping.password ? await sealCredential(ctx, text, keeping.password) : null
    const isStored = await ctx.db.transaction(ctx.scope, async (tx) => {
      const key = await issuerKey(tx, signing.issuer)
      if (key.keyRef !== signing.key.keyRef) {
        signing = { ...signing, key }
        return false
      }
      if (!(await book(tx, ctx, { registry: signing.registry, id: signed.id, index }))) return false
      await store(tx, ctx, {
        signing,
        signed,
        index,
        sealed,
        template: keeping.template || null,
        bytes: Buffer.byteLength(text),
      })
      await tx.answer(signed)
      return true
    })
    if (isStored) return signed
  }
  throw new ApiError('limit_reached', 'The registry is full')
}

/** The key that signs for an issuer now. @throws 404 when the DID is unknown or gone, 400 when it has no key that signs */
export async function issuerKey(reader: Reader, did: string): Promise<SigningKey> {
  return (await signingKey(reader, did)) ?? lacksKey(reader, did, 'sign credentials', 'assertionMethod')
}

/** Does everything short of signing. @throws what signing would throw about the credential */
export async function rehearse(ctx: Context, signing: Signing): Promise<void> {
  await asAnswer(async () => {
    const { document, leftOut } = documentOf(
      ctx,
      signing,
      generatedId(ctx),
      statusEntry(ctx.config.apiUrl, `0x${'0'.repeat(64)}`, 0),
    )
    tellLeftOut(ctx, leftOut, signing.missing)
    await hashFor(ctx, signing)(document)
  })
}

function documentOf(ctx: Context, signing: Signing, id: string, status: JsonObject | undefined) {
  const { input, suite } = signing
  const made = buildDocument({
    ...signing,
    generatedId: id,
    status,
    issuanceDate: input.issuanceDate ?? toSeconds(ctx.clock.now()),
    suiteContext: suite.context,
  })
  checkForm(made.document)
  return made
}

/** As long as any of ours: it counts when the credential is verified. */
const PROOF: JsonObject = { room: 'x'.repeat(500) }

/** Refuses what verifying would refuse, but for the passing of time. @throws SuiteError */
function checkForm(document: CredentialDocument): void {
  const wrong = wrongInCredential(document)
  if (wrong !== undefined) throw new SuiteError('malformed', wrong)
  checkStatus(document)
  checkLimits({ ...document, proof: PROOF })
}

/** Refuses a status that nobody here could look at. @throws SuiteError */
export function checkStatus({ credentialStatus }: CredentialDocument): void {
  for (const entry of asArray(credentialStatus)) {
    const status = readStatus(entry)
    if ('wrong' in status) throw new SuiteError('malformed', status.detail)
  }
}

async function sign(ctx: Context, signing: Signing, id: string, index: number | undefined): Promise<SignedCredential> {
  const { suite, input, key, registry } = signing
  const own = typeof input.status === 'object' ? input.status : undefined
  const status = registry && index !== undefined ? statusEntry(ctx.config.apiUrl, registry.id, index) : own
  const { document, leftOut } = documentOf(ctx, signing, id, status)
  tellLeftOut(ctx, leftOut, signing.missing)
  return addProof({
    document,
    suite,
    options: {
      created: ctx.clock.now().toISOString(),
      verificationMethod: key.verificationMethod,
      proofPurpose: 'assertionMethod',
    },
    hash: hashFor(ctx, signing),
    sign: (bytes) => signBytes(ctx, key.keyRef, bytes),
  })
}

const hashFor = ({ canonicalHashes, team }: Context, { contexts }: Signing): HashOf =>
  canonicalHashes.of(`team ${team}`, contexts)

/** One signature of a key that the signer holds. */
async function signBytes(ctx: Pick<Context, 'signer'>, keyRef: string, bytes: Uint8Array): Promise<Uint8Array> {
  const [signature] = await ctx.signer.sign([{ keyRef, bytes }])
  if (!signature) throw new Error('the signer answered no signature')
  return signature
}

interface Place extends Pick<Signing, 'registry'> {
  id: string
  index: number | undefined
}

async function book(tx: Tx, { team }: Context, { registry, id, index }: Place): Promise<boolean> {
  if (!registry || index === undefined) return true
  return bookIndex(tx, { registry, team }, revocationIdOf(id), index)
}

interface Stored {
  signing: Signing
  signed: SignedCredential
  index: number | undefined
  sealed: Buffer | null
  template: string | null
  bytes: number
}

async function store(tx: Tx, ctx: Context, { signing, signed, index, sealed, template, bytes }: Stored): Promise<void> {
  const { issuer, key, profile, suite } = signing
  const place = placeOf(ctx, signing, index)
  await insertCredential(tx, {
    team_id: ctx.team,
    id: signed.id,
    issuer,
    issuer_key: key.verificationMethod,
    issuer_name: profile?.name ?? null,
    type: signed.type.at(-1) ?? 'VerifiableCredential',
    subject_ref: subjectRef(signed),
    algorithm: suite.algorithm,
    registry_id: place?.registryId ?? null,
    status_index: place?.index ?? null,
    issuance_date: new Date(signed.issuanceDate),
    expiration_date: endOf(signed),
    byte_size: bytes,
    template,
    sealed,
    created: ctx.clock.now(),
  })
  await tx.audit({ action: 'issueCredential', subject: signed.id })
  const data = { id: signed.id, signingOps: 1, byteSize: bytes, key: key.verificationMethod, credential: signed }
  await tx.emitAll(CREDENTIAL_EVENTS.map((event) => ({ team: ctx.team, event, data })))
}

/** Where its status stands, when that is a list of this ledger: the place that was booked, or the one that its own entry names. */
function placeOf({ config }: Context, { registry, input }: Signing, index: number | undefined) {
  if (registry && index !== undefined) return { registryId: registry.id, index }
  const own = typeof input.status === 'object' ? readStatus(input.status) : undefined
  if (own === undefined || !('list' in own)) return undefined
  const list = placeOfList(config, own.list)
  return typeof list === 'object' ? { registryId: list.registryId, index: own.index } : undefined
}

/** When it ends by its own words, in whichever of the two members they stand; by both, the earlier. */
function endOf({ expirationDate, validUntil }: SignedCredential): Date | null {
  const ends = [expirationDate, validUntil].flatMap((text) =>
    typeof text === 'string' ? [new Date(text).getTime()] : [],
  )
  return ends.length > 0 ? new Date(Math.min(...ends)) : null
}

/** The ids of the subjects: what lists show and filters find. */
const subjectRef = ({ credentialSubject }: SignedCredential): string =>
  asArray(credentialSubject)
    .flatMap((subject) => (isObject(subject) ? (textOf(subject.id) ?? []) : []))
    .join(' ')
    .slice(0, 1024)

/** Says which of the caller's contexts are not in the credential. @throws 400 where the request prefers strict handling */
export function tellLeftOut(
  ctx: Pick<Context, 'reply' | 'isStrict'>,
  urls: string[],
  reasons: ReadonlyMap<string, string>,
): void {
  const [first] = urls
  if (first === undefined) return
  if (ctx.isStrict)
    throw invalid(
      `The context ${first} would be left out, and the request prefers strict handling: ${reasons.get(first) ?? 'it cannot be had'}`,
    )
  ctx.reply.header('Accredit-Context-Left-Out', urls.map(encodeURI).join(' ').slice(0, 1000))
}
