/**
 * Turns queued actions into signed ones: gives nonces, signs authorisations, wraps them in an extrinsic, stores all of
 * it, sends it.
 */
import { isTracing, noteSpans } from '@accredit/process/tracing'
import type { FastifyBaseLogger } from 'fastify'
import { SignerError } from '../errors.js'
import type { Keys, SignBytes } from '../keys/keys.js'
import { type Action, bytesOf, type PalletError } from '../wire.js'
import { type BatchLimits, chooseBatch, readyByShare } from './batch.js'
import type { Codec } from './codec.js'
import type { FeeAccount } from './fee-account.js'
import type { BlockRef, Ledger } from './ledger.js'
import type { Candidate, Chosen, OnTheWay, PendingExtrinsic, PipelineStore, SignedItem } from './pipeline.store.js'
import type { Turns } from './turns.js'
import type { Validity } from './validity.js'

export interface BatcherNeeds {
  store: Pick<PipelineStore, 'candidates' | 'onTheWay' | 'withContent' | 'refuse' | 'sign' | 'tellTraces'>
  keys: Pick<Keys, 'signing'>
  ledger: Pick<Ledger, 'read'>
  validity: Pick<Validity, 'now' | 'until'>
  log: Pick<FastifyBaseLogger, 'warn'>
  feeAccount: Pick<FeeAccount, 'address'>
  codec: BatchCodec
  /** The newest final block that was processed. */
  cursor: BlockRef
  /** The fee account's next nonce, perhaps of some blocks ago. */
  accountNonce: number
  finality: 'instant' | 'grandpa'
  turns: Turns
  send(extrinsic: PendingExtrinsic): void
}

type BatchCodec = ActionCodec &
  Pick<Codec, 'specVersion' | 'batch' | 'u32' | 'moment'> & { keys: Pick<Codec['keys'], 'now' | 'nonce'> }

type ActionCodec = Pick<
  Codec,
  'transactionVersion' | 'creation' | 'dispatch' | 'authorised' | 'callHash' | 'mayDispatch'
>

/**
 * The most extrinsics on the way at once; more would only queue in the ledger's pool. Beyond them only a share without
 * one may send.
 */
const maxInFlight = 8
const maxInFlightOfAll = 16

/**
 * A ledger of one node answers when a block holds the extrinsics, and builds as much at a time; a network has them in a
 * pool.
 */
const limitsFor: Record<BatcherNeeds['finality'], BatchLimits> = {
  instant: { items: 64, bytes: 256 * 1024, window: 32 * 1024, small: 4 * 1024 },
  grandpa: { items: 64, bytes: 256 * 1024, window: 256 * 1024, small: 4 * 1024 },
}

export interface Made {
  /** True where an extrinsic was made, or an action refused. */
  isMade: boolean
  /** True where actions were queued, whether or not their turn had come. */
  isQueued: boolean
}

/** Makes the next extrinsic, if anything is ready for one. */
export async function makeBatch(needs: BatcherNeeds): Promise<Made> {
  const { store, feeAccount } = needs
  const limits = limitsFor[needs.finality]
  const candidates = await findCandidates(store, limits.items * 2)
  if (candidates.length === 0) return { isMade: false, isQueued: false }
  const onTheWay = await store.onTheWay(feeAccount.address, limits.window)
  const chosen = await store.withContent(chooseFrom(needs, candidates, onTheWay))
  if (chosen.length === 0) return { isMade: false, isQueued: true }
  needs.turns.took(chosen.map(({ share }) => share))
  const since = Date.now()
  const { items, refusals } = await signAll(needs, chosen)
  if (refusals.length > 0) await store.refuse(refusals)
  if (items.length === 0) return { isMade: true, isQueued: true }
  const extrinsic = await signBatch(needs, items, nextNonce(needs, onTheWay))
  if (isTracing()) await noteSigned(needs, chosen, { since, hash: extrinsic.hash })
  needs.send(extrinsic)
  return { isMade: true, isQueued: true }
}

/**
 * Sends an empty batch with a nonce whose extrinsic died, where later ones wait for it and nothing else is to be sent:
 * they would wait until they die themselves. Returns whether there was such a nonce.
 */
export async function fillGap(needs: BatcherNeeds): Promise<boolean> {
  const onTheWay = await needs.store.onTheWay(needs.feeAccount.address, 0)
  const nonce = nextNonce(needs, onTheWay)
  if (!onTheWay.nonces.some((later) => later > nonce)) return false
  needs.send(await signBatch(needs, [], nonce))
  return true
}

function signBatch({ store, codec, cursor, feeAccount }: BatcherNeeds, items: SignedItem[], nonce: number) {
  const batch = codec.batch(
    items.map((item) => item.encodedTx),
    nonce,
    cursor,
  )
  return store.sign(items, { ...batch, nonce, specVersion: codec.specVersion, account: feeAccount.address })
}

const nextNonce = ({ accountNonce }: BatcherNeeds, { lastFinalNonce, nonces }: OnTheWay): number =>
  firstFree(Math.max(accountNonce, (lastFinalNonce ?? -1) + 1), nonces)

/** The hint comes before the extrinsic: the index knows of it when it has the block. */
async function noteSigned(
  { store, log }: BatcherNeeds,
  chosen: readonly Chosen[],
  { since, hash }: { since: number; hash: Buffer },
): Promise<void> {
  const spans = chosen.map(({ trace, action }) => ({ parent: trace, attributes: { 'accredit.action': action.id } }))
  noteSpans('sign actions', since, spans)
  const traces = [...new Set(chosen.flatMap(({ trace }) => trace ?? []))]
  if (traces.length === 0) return
  await store
    .tellTraces(hash, traces)
    .catch((error: unknown) => log.warn({ err: error }, 'The index was not told of traces.'))
}

function chooseFrom(
  { turns, finality }: BatcherNeeds,
  candidates: Candidate[],
  { nonces, bytes }: OnTheWay,
): Candidate[] {
  if (nonces.length >= maxInFlightOfAll) return []
  const isBusy = nonces.length >= maxInFlight
  const allowed = isBusy ? candidates.filter(({ share }) => !bytes.has(share)) : candidates
  return chooseBatch(allowed, limitsFor[finality], { onTheWay: bytes, lastTurn: turns.lastTurn })
}

/** The search goes on where the first actions of a share wait for others, so that they do not delay the rest of it. */
async function findCandidates(store: BatcherNeeds['store'], atFirst: number): Promise<Candidate[]> {
  for (let limit = atFirst; ; limit *= 4) {
    const candidates = await store.candidates(limit)
    const counts = new Map<string, number>()
    for (const { share } of candidates) counts.set(share, (counts.get(share) ?? 0) + 1)
    const isHeldUp = ([share, ready]: [string, Candidate[]]) => ready.length === 0 && counts.get(share) === limit
    if (![...readyByShare(candidates)].some(isHeldUp)) return candidates
  }
}

/** A nonce whose extrinsic died is used again: the ones after it wait for it. */
function firstFree(accountNonce: number, pendingNonces: number[]): number {
  const taken = new Set(pendingNonces)
  let nonce = accountNonce
  while (taken.has(nonce)) nonce += 1
  return nonce
}

async function signAll(needs: BatcherNeeds, chosen: Chosen[]) {
  const items: SignedItem[] = []
  const refusals: { id: string; error: PalletError }[] = []
  const signing = await needs.keys.signing(chosen.flatMap(({ content }) => actingKeyRef(content) ?? []))
  const state = await readState(needs, chosen)
  for (const candidate of chosen) {
    try {
      items.push(signOne(needs.codec, candidate, signing, state))
    } catch (error) {
      if (!(error instanceof SignerError)) needs.log.warn({ err: error, id: candidate.action.id }, 'Not encodable.')
      refusals.push({ id: candidate.action.id, error: refusalOf(error) })
    }
  }
  return { items, refusals }
}

interface State {
  /** The last nonce given, by DID. */
  nonces: Map<string, number>
  /** The ledger's time, as far as it is known. */
  now: number
  validUntil: number
}

/** Nonces come from the ledger, or from the actions in flight where there are some. */
async function readState({ codec, ledger, validity }: BatcherNeeds, chosen: Chosen[]): Promise<State> {
  const nonces = new Map<string, number>()
  const asked = new Set<string>()
  for (const { action, content, inFlight } of chosen) {
    if (content.kind === 'create' || nonces.has(action.did)) continue
    if (inFlight?.nonce != null) nonces.set(action.did, inFlight.nonce)
    else asked.add(action.did)
  }
  const { keys, u32, moment } = codec
  const known = [...asked].filter((did) => nonceKey(keys, did) !== undefined)
  const [now, ...values] = await ledger.read([keys.now, ...known.map(keys.nonce)])
  known.forEach((did, index) => {
    nonces.set(did, u32(values[index]))
  })
  const at = moment(now)
  return { nonces, now: validity.now(at), validUntil: validity.until(at) }
}

function nonceKey(keys: BatchCodec['keys'], did: string): string | undefined {
  try {
    return keys.nonce(did)
  } catch {
    return undefined // no DID of this ledger: signing refuses it
  }
}

function signOne(
  codec: ActionCodec,
  { action, content }: Chosen,
  signing: Map<string, SignBytes>,
  state: State,
): SignedItem {
  const { transactionVersion } = codec
  if (content.kind === 'create') {
    const sign = signerNamed(signing, actingKeyRef(content))
    const encodedTx = codec.creation(content, sign)
    return { id: action.id, nonce: null, callHash: null, validUntil: null, transactionVersion, encodedTx }
  }
  const calls = allowedCalls(codec, content.calls)
  const next = (state.nonces.get(action.did) ?? 0) + 1
  const callHash = codec.callHash(calls)
  if (content.kind === 'authorised') {
    const { nonce, validUntil } = content
    if (validUntil < state.now) throw new SignerError(422, 'Expired', 'The time for which it was signed is over.')
    if (nonce === next) state.nonces.set(action.did, nonce)
    return { id: action.id, nonce, callHash, validUntil, transactionVersion, encodedTx: codec.authorised(content) }
  }
  const sign = signerNamed(signing, content.keyRef)
  const { validUntil } = state
  const encodedTx = codec.dispatch(content, { nonce: next, validUntil, sign })
  state.nonces.set(action.did, next)
  return { id: action.id, nonce: next, callHash, validUntil, transactionVersion, encodedTx }
}

export function allowedCalls(codec: Pick<Codec, 'mayDispatch'>, hex: string[]): Buffer[] {
  const calls = hex.map(bytesOf)
  if (codec.mayDispatch(calls)) return calls
  throw new SignerError(422, 'CallNotAllowed', 'A DID makes calls of the three pallets, and no others.')
}

export function signerNamed(signing: Map<string, SignBytes>, keyRef: string | undefined): SignBytes {
  const sign = keyRef === undefined ? undefined : signing.get(keyRef)
  if (sign === undefined) throw new SignerError(422, 'KeyNotFound', 'The key that should sign is not here, or damaged.')
  return sign
}

/** Returns our key that signs an action, if there is one. */
export function actingKeyRef(action: Action): string | undefined {
  if (action.kind === 'authorised') return undefined
  return action.kind === 'dispatch' ? action.keyRef : action.keys[0]?.keyRef
}

/** Gives a refusal by the signer itself the form of a refusal by the ledger. */
export function refusalOf(error: unknown): PalletError {
  if (error instanceof SignerError) return { pallet: 'Signer', name: error.type, docs: error.message }
  return { pallet: 'Signer', name: 'MalformedAction', docs: 'The action cannot be encoded for this ledger.' }
}
