/**
 * Asks the ledger for the effect of actions, without doing them: nothing is stored, nothing is submitted.
 * Authorisations that are signed for it end with the instant they are asked for, and leave this process only for the
 * ledger.
 */
import { type DryRunOutcome, hexOf } from '@accredit/chain'
import { sql } from 'kysely'
import type { Db } from '../database.js'
import { SignerError } from '../errors.js'
import type { Keys, SignBytes } from '../keys/keys.js'
import type { ThrowawayKeys } from '../keys/throwaway-keys.js'
import type { Action, PalletError, State } from '../server/wire.js'
import { type DryRunRequest, maxActions, type PrepareRequest, type PrepareResponse } from '../server/wire-dry-run.js'
import { actingKeyRef, allowedCalls, refusalOf, signerNamed } from './batcher.js'
import type { Codec } from './codec.js'
import type { BlockRef, Ledger } from './ledger.js'
import type { Validity } from './validity.js'

export interface DryRunNeeds {
  db: Db
  keys: Keys
  throwaway: ThrowawayKeys
  /** Throws while the ledger is not reached. */
  ledger(): { ledger: Ledger; codec: Codec; validity: Pick<Validity, 'now'> }
}

export interface DryRuns {
  /** Returns one outcome for each action, in order, after those that their DIDs have on the way. */
  run(request: DryRunRequest): Promise<DryRunOutcome[]>
  /**
   * Returns the bytes that a DID with a key of its own signs, and the reason for which the ledger would refuse them in
   * any case.
   */
  prepare(request: PrepareRequest): Promise<PrepareResponse>
}

/** A call to try. Pending calls are tried as well, for those that come after them. */
interface Trial {
  did: string
  /** Creations do not. */
  takesNonce: boolean
  /** The nonce that its owner signed it for. */
  nonce?: number
  encode(nonce: number): Buffer
}

/** Each refusal frees a nonce for the next actions, which then have to be signed and tried again. */
const maxRounds = 16
const notTried: PalletError = {
  pallet: 'Signer',
  name: 'NotTried',
  docs: `${maxRounds} actions were refused before this one was tried.`,
}

export function openDryRuns(needs: DryRunNeeds): DryRuns {
  return {
    async run({ actions, before }) {
      const open = await openRun(needs, new Set(actions.map(({ did }) => did)), actions, before)
      const trials = [...open.earlier, ...actions].map((action) => trialOf(open, action))
      const tried = await tryAll(open, trials)
      return tried.slice(open.earlier.length).map(({ outcome }) => outcome)
    },
    async prepare({ validForMs, before, ...wish }) {
      const open = await openRun(needs, new Set([wish.did]), [], before)
      const { codec } = open
      const validUntil = open.now + validForMs
      const actionOf = (nonce: number) => ({ ...wish, ...unplaced, kind: 'authorised' as const, nonce, validUntil })
      const probe: Trial = {
        did: wish.did,
        takesNonce: true,
        encode: (nonce) => {
          allowedCalls(codec, wish.calls)
          return codec.authorised({ ...actionOf(nonce), signature: nobodys })
        },
      }
      const trials = [...open.earlier.map((action) => trialOf(open, action)), probe]
      const probed = (await tryAll({ ...open, asIfSigned: true }, trials)).at(-1)
      if (probed === undefined) throw new Error('A probe has an outcome.')
      const { outcome, nonce } = probed
      const refusal = 'error' in outcome ? outcome.error : undefined
      const payload = hexOf(codec.payload(actionOf(nonce)))
      return { payload, nonce, validUntil, ...(refusal && { refusal }) }
    },
  }
}

/** The states of an action that no block has taken up yet. */
const unsettled: State[] = ['queued', 'signed', 'submitted']

/** The place of an action that is only tried: it has none among the actions of its DID. */
const unplaced = { id: 'dry run', sequence: 0 }
const nobodys = `0x${'0'.repeat(128)}`

interface OpenRun {
  ledger: Ledger
  codec: Codec
  parent: BlockRef
  now: number
  /** The actions that the DIDs have on the way, in the order in which they will take effect. */
  earlier: Action[]
  /** Last nonces on the ledger. */
  nonces: Map<string, number>
  signing: Map<string, SignBytes>
  /** True if authorisations count as signed. */
  asIfSigned: boolean
}

async function openRun(needs: DryRunNeeds, dids: Set<string>, actions: Action[], before: Action[]): Promise<OpenRun> {
  const { ledger, codec, validity } = needs.ledger()
  const nonceKeys = [...dids].map(codec.keys.nonce)
  // The signer's tables are read before the ledger: an action that arrives there in between is tried again, and is then
  // refused or changes nothing.
  const earlier = await onTheWay(needs.db, dids, before)
  const parent = await ledger.bestHead()
  const [moment, ...values] = await ledger.read([codec.keys.now, ...nonceKeys], parent.hash)
  const nonces = new Map([...dids].map((did, index) => [did, codec.u32(values[index])]))
  const keyRefs = [...earlier, ...actions].flatMap((action) => actingKeyRef(action) ?? [])
  const signing = new Map([...(await needs.keys.signing(keyRefs)), ...needs.throwaway.signing(keyRefs)])
  return { ledger, codec, parent, now: validity.now(codec.moment(moment)), earlier, nonces, signing, asIfSigned: false }
}

/**
 * Returns the actions of these DIDs that no block has taken up yet, and those of `before` that have not even arrived.
 * One statement reads both: between two an action could arrive and be in neither.
 */
async function onTheWay(db: Db, dids: Set<string>, before: Action[]): Promise<Action[]> {
  const ids = before.map(({ id }) => id)
  const rows = await db
    .selectFrom('actions')
    .select(['id', 'content', 'state'])
    .where(({ and, eb, or }) =>
      or([
        and([eb('did', 'in', [...dids]), eb('state', 'in', unsettled)]),
        eb('id', '=', sql<string>`any(${ids}::text[])`),
      ]),
    )
    .orderBy('ordinal')
    .limit(maxActions + 1 + ids.length)
    .execute()
  const open = rows.filter(({ state }) => unsettled.includes(state)).map(({ content }) => content)
  if (open.length > maxActions) {
    throw new SignerError(503, 'busy', `More than ${maxActions} actions of these DIDs are on their way.`)
  }
  const arrived = new Set(rows.map(({ id }) => id))
  const actions = [...open, ...before.filter(({ id }) => !arrived.has(id))]
  return actions.sort((left, right) => (left.did === right.did ? left.sequence - right.sequence : 0))
}

function trialOf({ codec, now, signing }: OpenRun, action: Action): Trial {
  const { did } = action
  if (action.kind === 'create') {
    return { did, takesNonce: false, encode: () => codec.creation(action, signerNamed(signing, actingKeyRef(action))) }
  }
  if (action.kind === 'authorised') {
    const encode = () => {
      allowedCalls(codec, action.calls)
      return codec.authorised(action)
    }
    return { did, takesNonce: true, nonce: action.nonce, encode }
  }
  const encode = (nonce: number) => {
    allowedCalls(codec, action.calls)
    return codec.dispatch(action, { nonce, validUntil: now, sign: signerNamed(signing, action.keyRef) })
  }
  return { did, takesNonce: true, encode }
}

interface Tried {
  outcome: DryRunOutcome
  /** The nonce it was tried with; 0 for a creation. */
  nonce: number
}

interface Waiting {
  trial: Trial
  /** Its place among all. */
  place: number
}

/**
 * Tries round by round: the outcomes up to the first refusal are certain, and the rest is encoded again for the nonces
 * that it freed.
 */
async function tryAll(open: OpenRun, trials: Trial[]): Promise<Tried[]> {
  const tried = new Map<number, Tried>()
  let waiting: Waiting[] = trials.map((trial, place) => ({ trial, place }))
  for (let round = 0; round < maxRounds; round += 1) {
    const results = await askLedger(open, encodeAll(open, waiting, tried))
    const first = results.findIndex(({ outcome }) => 'error' in outcome)
    const certain = first < 0 ? results : results.slice(0, first + 1)
    for (const { place, outcome, nonce } of certain) tried.set(place, { outcome, nonce })
    if (first < 0) break
    waiting = results.filter((_, index) => index !== first)
  }
  return trials.map((_, place) => tried.get(place) ?? { outcome: { error: notTried }, nonce: 0 })
}

interface Result extends Waiting, Tried {}

interface Encoded extends Waiting {
  nonce: number
  bytes: Buffer
}

function encodeAll({ nonces }: OpenRun, waiting: Waiting[], tried: Map<number, Tried>): Encoded[] {
  const last = new Map(nonces)
  const encoded: Encoded[] = []
  for (const { trial, place } of waiting) {
    const next = (last.get(trial.did) ?? 0) + 1
    const nonce = trial.takesNonce ? (trial.nonce ?? next) : 0
    try {
      encoded.push({ trial, place, nonce, bytes: trial.encode(nonce) })
      if (nonce === next) last.set(trial.did, next)
    } catch (error) {
      tried.set(place, { outcome: { error: refusalOf(error) }, nonce })
    }
  }
  return encoded
}

async function askLedger({ ledger, codec, parent, now, asIfSigned }: OpenRun, encoded: Encoded[]): Promise<Result[]> {
  if (encoded.length === 0) return []
  const calls = encoded.map(({ bytes }) => bytes)
  const outcomes = await ledger.ask(codec.dryRun({ parent: parent.hash, now, asIfSigned }, calls), parent.hash)
  return encoded.map((item, index) => {
    const outcome = outcomes[index]
    if (outcome === undefined) throw new Error('The ledger left out the outcome of a call.')
    return { ...item, outcome }
  })
}
