import type { Claims, Credential, CredentialParts, FormatTools } from '../../formats/credential-format.js'
import { FormatError } from '../../formats/format-error.js'
import { isObject, type JsonObject } from '../../formats/json.js'
import { ContextBudget } from '../../formats/json-ld/contexts/context-budget.js'
import { heldKey } from '../../formats/signer-primitives.js'
import { shareOf } from '../../ledger/write/share.js'
import { SignerRefused } from '../../ledger/write/signer-door.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { toSeconds } from '../../platform/process/clock.js'
import { indexFrom } from '../../status/entries.store.js'
import { USUAL_TERMS } from '../../status/list-terms.js'
import type { StatusMethod } from '../../status/status-method.js'
import type { Recipient } from '../delivery/distribution.js'
import { sealCredential } from '../keeping/open-credential.js'
import { compareDocument } from './compare-schema.js'
import { generatedId } from './credential-id.js'
import { ownStatuses } from './credential-input.js'
import { asAnswer } from './format-errors.js'
import type { Issuer } from './issuer.js'
import { CHANGED, type Signed, type Signing, storeSigned, TAKEN } from './store-signed.js'

export interface Keeping {
  persist: boolean
  password?: string | null
  template?: string | null
  /** To whom it is sent by mail. */
  recipient?: Recipient | undefined
}

/**
 * A drawn index is taken already with the probability of the list's load: at most four fifths in automatic registries.
 */
const MAX_TRIES = 100

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
      const { template, recipient } = keeping
      const storing = { id, signing, signed, index, sealed, template: template || null, bytes, recipient }
      await ctx.rest(() => storeSigned(ctx, storing))
      return signed.credential
    } catch (error) {
      if (error === TAKEN) continue
      if (error !== CHANGED && !isOutOfUse(error)) throw error
      const anew = await prepareAgain()
      if (error !== CHANGED && anew.issuer.key.keyRef === signing.issuer.key.keyRef) throw error
      signing = anew
    }
  }
  throw new ApiError('too_many', 'The registry is full')
}

/** The refusals of the signer for a key that was rotated, or left with its DID, before the issuer is read again. */
const OUT_OF_USE: ReadonlySet<string> = new Set(['key_not_found', 'key_retired'])
const isOutOfUse = (error: unknown): boolean => error instanceof SignerRefused && OUT_OF_USE.has(error.type)

/** Makes the credential up to its signature. @throws every refusal of the credential that signing would throw */
export async function checkDraft(ctx: Context, signing: Signing, method: StatusMethod | undefined): Promise<void> {
  await asAnswer(async () => {
    const entry = method && (await method.entry(ctx, { id: `0x${'0'.repeat(64)}`, ...USUAL_TERMS }, 0))
    const statuses = entry ? [entry] : ownStatuses(signing.input)
    const draft = draftOf(ctx, signing, signing.input.id ?? generatedId(ctx), statuses)
    await compareDocument(ctx, signing.schema, draft.claims)
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
  const { algorithm, input, issuer, registry, form } = signing
  const isBooked = form && registry && index !== undefined
  const booked = isBooked ? await form.entry(ctx, registry, index) : undefined
  const draft = draftOf(ctx, signing, id, booked ? [booked] : ownStatuses(input))
  await compareDocument(ctx, signing.schema, draft.claims)
  tellLeftOut(ctx, draft.leftOut, signing.missing)
  ctx.ignore(draft.unwritten ?? [])
  const { messages, finish } = await draft.toSign(toolsOf(ctx, signing))
  const key = heldKey(ctx.signer, issuer.key.keyRef, shareOf(ctx, ctx.team))
  const signatures = () => key(algorithm.primitive, messages)
  // Signatures of one moment are made together, and cost the signer little; other primitives keep the place of the caller.
  const credential = await finish(await (algorithm.primitive === 'sign' ? ctx.rest(signatures) : signatures()))
  return { credential, claims: draft.claims, issuanceDate: draft.issuanceDate }
}

/** Returns tools with the contexts that the credential names, which were loaded before. */
const toolsOf = (ctx: Context, { extraContexts }: Signing): FormatTools => ({
  random: (length) => ctx.random.bytes(length),
  bbs: ctx.bbsThreads.of(`team ${ctx.team}`),
  babyJubJub: ctx.babyJubJubThreads.of(`team ${ctx.team}`),
  canonicalWith: async () =>
    new ContextBudget().bounded(ctx.canonicalHashes.texts(`team ${ctx.team}`, extraContexts), extraContexts),
  hashWith: async () =>
    new ContextBudget().bounded(ctx.canonicalHashes.of(`team ${ctx.team}`, extraContexts), extraContexts),
})

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
