import { didToHex, parseDid } from '@accredit/chain'
import { makeKey, startChange } from '../../dids/changes/start-did-change.js'
import { lockDid, newestOfKind, type OwnDid, ownDid } from '../../dids/did.store.js'
import { insertMacKey } from '../../dids/held-key.store.js'
import type { KeyKind } from '../../formats/credential-format.js'
import { shareOf } from '../../ledger/write/share.js'
import { waitForJob } from '../../ledger/write/wait-for-job.js'
import { ApiError, invalid, notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'

/** The kinds of key that a DID gets when it issues with them first. */
const ADDED = ['Bls12381G2', 'Bls12381G2Plus2022', 'BabyJubJub', 'BBDT16'] as const
type AddedKind = (typeof ADDED)[number]

export const isAdded = (kind: KeyKind): kind is AddedKind => ADDED.some((one) => one === kind)

/**
 * Gives a DID of the team a key of a kind that it lacks. One that its document lists is waited for until it is on the
 * ledger, at most LEDGER_WAIT_MS; past that the header `Accredit-Pending` says so.
 * @throws 404 when the team has no such DID, 400 when it cannot have the key
 */
export async function addMissingKey(ctx: Context, did: string, kind: AddedKind): Promise<void> {
  const own = await ctx.db.read(ctx.scope, (reader) => ownDid(reader, did))
  if (own === undefined) throw notFound('DID')
  if (kind === 'BBDT16') await addMacKey(ctx, own)
  else await addListedKey(ctx, did, kind)
}

/** A key without its credential is no effect yet: a retry with the same Idempotency-Key must be able to go on. */
function withoutAnswer({ scope: { idempotency: _kept, ...scope } }: Context) {
  return scope
}

async function addMacKey(ctx: Context, { did, created }: OwnDid): Promise<void> {
  // The handle is the DID since it is here: requests at the same time are given the same key, and one that was forgotten
  // and taken up again gets another.
  const handle = `bbdt16/${did}/${created.toISOString()}`
  const [key] = await ctx.signer.makeKeys(handle, ['BBDT16'], shareOf(ctx, ctx.team))
  if (key === undefined) throw new TypeError('the signer gave no key')
  await ctx.signer.bindKeys(handle)
  await ctx.db.transaction(withoutAnswer(ctx), async (tx) => {
    if ((await lockDid(tx, did)) === undefined) throw notFound('DID')
    await insertMacKey(tx, { did, team: ctx.team, key, now: ctx.clock.now() })
    await tx.audit({ action: 'addKey', subject: did, after: { kind: 'BBDT16' } })
  })
}

async function addListedKey(ctx: Context, did: string, kind: Exclude<AddedKind, 'BBDT16'>): Promise<void> {
  const parsed = parseDid(did)
  const id = parsed && didToHex(parsed)
  if (id === undefined)
    throw invalid(`${did} is its key and has no other: issue with a DID on the ledger, or with another algorithm`)
  const newKey = await makeKey(ctx, id, kind)
  const job = await ctx.db.transaction(withoutAnswer(ctx), async (tx) => {
    const own = await lockDid(tx, did)
    if (own === undefined) throw notFound('DID')
    // Another request was faster.
    if ((await newestOfKind(tx, did, kind)) !== undefined) return undefined
    const { services } = own
    const started = await startChange(tx, ctx, { own, id, newKey, oldKey: undefined, controller: undefined, services })
    await ctx.signer.bindKeys(newKey.handle)
    await tx.audit({ action: 'addKey', subject: did, after: { kind } })
    return started
  })
  if (job === undefined) return
  const { status, result } = await waitForJob(ctx, job.id)
  if (status !== 'error') return
  const reason = typeof result.message === 'string' ? result.message : 'no reason given'
  throw new ApiError('unavailable', `The ledger refused the key of kind ${kind} for ${did}: ${reason}`)
}
