import type {
  Algorithm,
  Claims,
  Credential,
  CredentialFormat,
  CredentialParts,
  FormatTools,
} from '../../formats/credential-format.js'
import { FormatError } from '../../formats/format-error.js'
import { asArray, isObject, type Json, type JsonObject, textOf } from '../../formats/json.js'
import { ContextBudget } from '../../formats/json-ld/contexts/context-budget.js'
import { heldKey } from '../../formats/signer-primitives.js'
import { SignerRefused } from '../../ledger/write/signer-door.js'
import type { Tx } from '../../platform/database/database.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { toSeconds } from '../../platform/process/clock.js'
import { indexFrom } from '../../status/entries.store.js'
import type { RegistryRow } from '../../status/registry.store.js'
import { revocationIdOf } from '../../status/revocation-id.js'
import type { StatusMethod } from '../../status/status-method.js'
import { CREDENTIAL_EVENTS } from '../credential.events.js'
import { insertCredential } from '../credential.store.js'
import { sealCredential } from '../keeping/open-credential.js'
import { generatedId } from './credential-id.js'
import type { CredentialInput } from './credential-input.js'
import { asAnswer } from './format-errors.js'
import { type Issuer, requireUnchanged } from './issuer.js'

export interface Signing extends Pick<CredentialParts, 'schema' | 'extraContexts'> {
  format: CredentialFormat
  algorithm: Algorithm
  input: CredentialInput
  issuer: Issuer
  /** The registry of its status; undefined: not revocable, or with a status of the caller's own. */
  registry: RegistryRow | undefined
  /** The reasons why contexts that it names cannot be had, by their URLs. */
  missing: ReadonlyMap<string, string>
}

export interface Keeping {
  persist: boolean
  password?: string | null
  template?: string | null
}

/** A signed credential, and what it says. */
interface Signed {
  credential: Credential
  claims: Claims
  issuanceDate: string
}

/**
 * A drawn index is taken already with the probability of the list's load: at most four fifths in automatic registries.
 */
const MAX_TRIES = 100

const TAKEN = new Error('the index is taken')
const CHANGED = new Error('the issuer is no longer as it was')

/**
 * Signs the credential and stores its metadata, in one transaction with its place in the registry. The index is signed:
 * where another request took it first, another one is drawn and signed. Where the key was rotated meanwhile, or the
 * profile changed, the credential is signed as the issuer is now.
 * @param prepareAgain reads the issuer anew
 */
export async function signAndStore(
  ctx: Context,
  keeping: Keeping,
  prepared: Signing,
  prepareAgain: () => Promise<Signing>,
): Promise<Credential> {
  const id = prepared.input.id ?? generatedId(ctx)
  let signing = prepared
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const { registry } = signing
    const index = registry && indexFrom(ctx.random.bytes(4), registry.length)
    try {
      const signed = await asAnswer(() => sign(ctx, signing, id, index))
      const text = JSON.stringify(signed.credential)
      const sealed = keeping.persist && keeping.password ? await sealCredential(ctx, text, keeping.password) : null
      const bytes = Buffer.byteLength(typeof signed.credential === 'string' ? signed.credential : text)
      const stored = { id, signing, signed, index, sealed, template: keeping.template || null, bytes }
      await ctx.db.transaction(ctx.scope, (tx) => store(tx, ctx, stored))
      return signed.credential
    } catch (error) {
      if (error === TAKEN) continue
      if (error !== CHANGED && !isDestroyed(error)) throw error
      const anew = await prepareAgain()
      if (error !== CHANGED && anew.issuer.key.keyRef === signing.issuer.key.keyRef) throw error
      signing = anew
    }
  }
  throw new ApiError('limit_reached', 'The registry is full')
}

/** A key that was rotated may be gone from the signer before the issuer is read again. */
const isDestroyed = (error: unknown): boolean => error instanceof SignerRefused && error.type === 'key_not_found'

/** Makes the credential up to its signature. @throws every refusal of the credential that signing would throw */
export async function checkDraft(ctx: Context, signing: Signing, method: StatusMethod | undefined): Promise<void> {
  await asAnswer(async () => {
    const entry = method && (await method.entry(ctx, { id: `0x${'0'.repeat(64)}` }, 0))
    const statuses = entry ? [entry] : ownStatuses(signing.input)
    const draft = draftOf(ctx, signing, signing.input.id ?? generatedId(ctx), statuses)
    tellLeftOut(ctx, draft.leftOut, signing.missing)
    await draft.toSign(toolsOf(ctx, signing))
  })
}

function draftOf(ctx: Context, signing: Signing, id: string, statuses: readonly JsonObject[]) {
  const parts = partsOf(ctx, { ...signing, profile: signing.issuer.profile }, id, statuses)
  const draft = signing.format.build({
    ...parts,
    algorithm: signing.algorithm,
    verificationMethod: signing.issuer.key.verificationMethod,
    created: ctx.clock.now().toISOString(),
  })
  checkStatuses(ctx, draft.claims)
  return { ...draft, issuanceDate: parts.issuanceDate }
}

/** Returns the content of a credential. */
export function partsOf(
  ctx: Pick<Context, 'clock' | 'statusMethods'>,
  {
    input,
    profile,
    schema,
    extraContexts,
  }: Pick<Signing, 'input' | 'schema' | 'extraContexts'> & Pick<Issuer, 'profile'>,
  id: string,
  statuses: readonly JsonObject[],
): CredentialParts {
  const contexts = statuses.map((entry) => ctx.statusMethods.ofEntry(entry)?.context)
  return {
    ...input,
    id,
    profile,
    schema,
    extraContexts,
    statuses,
    statusContexts: [...new Set(contexts.filter((url) => url !== undefined))],
    issuanceDate: input.issuanceDate ?? toSeconds(ctx.clock.now()),
  }
}

/** Refuses a status that this service could not check. @throws FormatError */
export function checkStatuses({ statusMethods }: Pick<Context, 'statusMethods'>, { statuses }: Claims): void {
  for (const entry of statuses) {
    if (!isObject(entry)) throw new FormatError('malformed', 'a status entry is no object')
    const wrong = statusMethods.wrongIn(entry)
    if (wrong !== undefined) throw new FormatError('malformed', wrong)
  }
}

async function sign(ctx: Context, signing: Signing, id: string, index: number | undefined): Promise<Signed> {
  const { algorithm, input, issuer, registry } = signing
  const isBooked = registry && index !== undefined
  const booked = isBooked ? await ctx.statusMethods.of(registry).entry(ctx, registry, index) : undefined
  const draft = draftOf(ctx, signing, id, booked ? [booked] : ownStatuses(input))
  tellLeftOut(ctx, draft.leftOut, signing.missing)
  ctx.ignore(draft.unwritten ?? [])
  const { messages, finish } = await draft.toSign(toolsOf(ctx, signing))
  const credential = await finish(await heldKey(ctx.signer, issuer.key.keyRef)(algorithm.primitive, messages))
  return { credential, claims: draft.claims, issuanceDate: draft.issuanceDate }
}

/** The status entries that the caller wrote. */
export const ownStatuses = ({ status }: CredentialInput): readonly JsonObject[] =>
  typeof status === 'object' ? status : []

/** Returns tools with the contexts that the credential names, which were loaded before. */
const toolsOf = ({ bbsThreads, canonicalHashes, random, team }: Context, { extraContexts }: Signing): FormatTools => ({
  random: (length) => random.bytes(length),
  bbs: bbsThreads.of(`team ${team}`),
  canonicalWith: async () =>
    new ContextBudget().bounded(canonicalHashes.texts(`team ${team}`, extraContexts), extraContexts),
  hashWith: async () => new ContextBudget().bounded(canonicalHashes.of(`team ${team}`, extraContexts), extraContexts),
})

interface Stored {
  id: string
  signing: Signing
  signed: Signed
  index: number | undefined
  sealed: Buffer | null
  template: string | null
  bytes: number
}

async function store(tx: Tx, ctx: Context, stored: Stored): Promise<void> {
  const { id, signing, signed, index, sealed, template, bytes } = stored
  const { algorithm, registry } = signing
  const { did: issuer, key, profile } = signing.issuer
  const { credential, claims, issuanceDate } = signed
  const place = placeOf(ctx, signing, index)
  requireUnchanged(tx, algorithm, { ...signing.issuer, registry }, CHANGED)
  if (registry && index !== undefined)
    ctx.statusMethods
      .of(registry)
      .allocate(tx, { registry, team: ctx.team }, { revocationId: revocationIdOf(id), index }, TAKEN)
  insertCredential(tx, {
    team_id: ctx.team,
    id,
    issuer,
    issuer_key: key.verificationMethod,
    issuer_name: profile?.name ?? null,
    type: textOf(claims.types.at(-1)) ?? 'VerifiableCredential',
    subject_ref: subjectRef(claims),
    algorithm: algorithm.name,
    registry_id: place?.registryId ?? null,
    status_index: place?.index ?? null,
    issuance_date: new Date(issuanceDate),
    expiration_date: earliest(claims.dates.ends) ?? null,
    byte_size: bytes,
    template,
    sealed,
    created: ctx.clock.now(),
  })
  await tx.audit({ action: 'issueCredential', subject: id })
  const data = { id, signingOps: 1, byteSize: bytes, key: key.verificationMethod, credential }
  await tx.emitAll(CREDENTIAL_EVENTS.map((event) => ({ team: ctx.team, event, data, resource: id })))
  await tx.answer(credential)
}

/** Returns the place of its status on a list of this ledger: the booked one, or the first that its own entries name. */
function placeOf({ config, statusMethods }: Context, { registry, input }: Signing, index: number | undefined) {
  if (registry && index !== undefined) return { registryId: registry.id, index }
  const places = ownStatuses(input).map((entry) => statusMethods.ofEntry(entry)?.placeOf(config, entry))
  return places.find((place) => place !== undefined)
}

/** Returns the earliest end that the credential names. */
function earliest(dates: readonly Json[]): Date | undefined {
  const instants = dates.flatMap((text) => (typeof text === 'string' ? [new Date(text).getTime()] : []))
  return instants.length > 0 ? new Date(Math.min(...instants)) : undefined
}

/** Returns the ids of the subjects, which lists show and filters search. */
const subjectRef = ({ subject }: Claims): string =>
  asArray(subject)
    .flatMap((one) => (isObject(one) ? (textOf(one.id) ?? []) : []))
    .join(' ')
    .slice(0, 1024)

/**
 * Names the caller's contexts that are not in the credential.
 * @throws 400 where the request prefers strict handling
 */
export function tellLeftOut(
  ctx: Pick<Context, 'reply' | 'isStrict'>,
  urls: readonly string[],
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
