/** The states of actions and extrinsics. Every write is fenced; every write is one transaction. */
import { type Selectable, sql } from 'kysely'
import type { Clock } from '../clock.js'
import { type ActionsTable, type Db, type FencedWrite, notifyOutcomes, type Tx } from '../database.js'
import type { Action, Outcome, PalletError } from '../server/wire.js'

export type ActionRow = Selectable<ActionsTable>

type QueuedAction = Pick<ActionRow, 'id' | 'ordinal' | 'did' | 'sequence' | 'size' | 'is_solo'>

/** A queued action with its DID's state: enough to decide whether its turn has come. */
export interface Candidate {
  action: QueuedAction
  /** The share that it takes turns in. */
  share: string
  /** State of the action before it in the DID's sequence; undefined when that has not arrived. */
  before: ActionRow['state'] | undefined
  /** Highest sequence and nonce of the DID's actions that are signed and not settled. */
  inFlight: { sequence: number; nonce: number | null } | undefined
}

/** An action whose turn has come. */
export interface Chosen extends Candidate {
  content: Action
}

export interface SignedItem {
  id: string
  nonce: number | null
  callHash: Buffer | null
  validUntil: number | null
  transactionVersion: number
  encodedTx: Buffer
}

export interface NewExtrinsic {
  hash: Buffer
  account: string
  nonce: number
  bytes: Buffer
  specVersion: number
  diesAt: number
}

export interface PendingExtrinsic {
  id: number
  nonce: number
  hash: Buffer
  bytes: Buffer
  specVersion: number
}

export interface Settlement {
  id: string
  state: 'included' | 'final' | 'refused'
  outcome: Outcome
}

export interface PipelineStore {
  /** Returns the number of actions that are in no block yet. */
  waiting(): Promise<number>
  /** Returns the first queued actions of each share, at most so many. */
  candidates(limit: number): Promise<Candidate[]>
  /** Returns the same actions with their calls. */
  withContent(candidates: Candidate[]): Promise<Chosen[]>
  /** Returns the bytes of each share that the ledger has not answered for; 0 if it has and no block is final. */
  onTheWay(soloBytes: number): Promise<Map<string, number>>
  pending(): Promise<PendingExtrinsic[]>
  /**
   * Returns the highest nonce of the account that a final block holds; asked after `pending`, so that no nonce is in
   * neither.
   */
  lastFinalNonce(account: string): Promise<number | undefined>
  /** Stores authorisations together with the extrinsic that is about to carry them. */
  sign(items: SignedItem[], extrinsic: NewExtrinsic): Promise<PendingExtrinsic>
  submitted(extrinsicId: number): Promise<void>
  refuse(refusals: { id: string; error: PalletError }[]): Promise<void>
  /** Records that the extrinsic can never be included: its actions are queued again. */
  drop(extrinsicId: number): Promise<void>
  /** Does the same for all that were made with an account nonce, or for a runtime, of the past. */
  expireBelow(limit: { nonce: number } | { specVersion: number }): Promise<void>
  /** Records that its items are heavier than a block at once: each travels alone. One that already did is refused. */
  dropTooHeavy(extrinsicId: number): Promise<void>
}

const inFlightStates = ['signed', 'submitted', 'included'] as const
const unsigned = {
  state: 'queued',
  nonce: null,
  call_hash: null,
  valid_until: null,
  transaction_version: null,
  encoded_tx: null,
  extrinsic_id: null,
  position: null,
  outcome: null,
} as const

export function openPipelineStore(db: Db, write: FencedWrite, clock: Clock): PipelineStore {
  const now = () => new Date(clock())
  return {
    async waiting() {
      const count = db.selectFrom('actions').select((row) => row.fn.countAll<number>().as('count'))
      return (await count.where('state', 'in', ['queued', 'signed', 'submitted']).executeTakeFirstOrThrow()).count
    },
    candidates: (limit) => findCandidates(db, limit),
    async withContent(candidates) {
      const ids = candidates.map(({ action }) => action.id)
      if (ids.length === 0) return []
      const rows = await db.selectFrom('actions').select(['id', 'content']).where('id', 'in', ids).execute()
      const contents = new Map(rows.map(({ id, content }) => [id, content]))
      return candidates.flatMap((candidate) => {
        const content = contents.get(candidate.action.id)
        return content === undefined ? [] : [{ ...candidate, content }]
      })
    },
    onTheWay: (soloBytes) => findOnTheWay(db, soloBytes),
    async pending() {
      const rows = await db
        .selectFrom('extrinsics')
        .select(['id', 'nonce', 'hash', 'bytes', 'spec_version as specVersion'])
        .where('state', '=', 'pending')
        .orderBy('nonce')
        .execute()
      return rows.flatMap(({ bytes, ...row }) => (bytes === null ? [] : [{ ...row, bytes }]))
    },
    async lastFinalNonce(account) {
      const last = db.selectFrom('extrinsics').select((row) => row.fn.max('nonce').as('nonce'))
      const row = await last.where('account', '=', account).where('state', '=', 'final').executeTakeFirst()
      return row?.nonce ?? undefined
    },
    sign: (items, extrinsic) =>
      write(async (tx) => {
        const row = {
          hash: extrinsic.hash,
          account: extrinsic.account,
          nonce: extrinsic.nonce,
          bytes: extrinsic.bytes,
          spec_version: extrinsic.specVersion,
          dies_at: extrinsic.diesAt,
          created_at: now(),
        }
        const { id } = await tx.insertInto('extrinsics').values(row).returning('id').executeTakeFirstOrThrow()
        await storeSigned(tx, items, id, now())
        const { nonce, hash, bytes, specVersion } = extrinsic
        return { id, nonce, hash, bytes, specVersion }
      }),
    submitted: (extrinsicId) =>
      write(async (tx) => {
        const ofIt = tx.updateTable('actions').where('extrinsic_id', '=', extrinsicId).where('state', '=', 'signed')
        await ofIt.set({ state: 'submitted', updated_at: now() }).execute()
      }),
    refuse: (refusals) =>
      write(async (tx) => {
        await settle(
          tx,
          refusals.map(({ id, error }) => ({ id, state: 'refused', outcome: { error } })),
          now(),
        )
      }),
    drop: (extrinsicId) => write((tx) => dropAll(tx, [extrinsicId], now())),
    expireBelow: (limit) =>
      write(async (tx) => {
        const pending = tx.selectFrom('extrinsics').select('id').where('state', '=', 'pending')
        const below =
          'nonce' in limit
            ? pending.where('nonce', '<', limit.nonce)
            : pending.where('spec_version', '<', limit.specVersion)
        await dropAll(
          tx,
          (await below.execute()).map(({ id }) => id),
          now(),
        )
      }),
    dropTooHeavy: (extrinsicId) =>
      write(async (tx) => {
        const carried = await tx.selectFrom('actions').select('id').where('extrinsic_id', '=', extrinsicId).execute()
        if (carried.length > 1) return dropAll(tx, [extrinsicId], now(), true)
        await settle(
          tx,
          carried.map(({ id }) => ({ id, state: 'refused', outcome: { error: tooHeavy } })),
          now(),
        )
        await dropAll(tx, [extrinsicId], now())
      }),
  }
}

const tooHeavy = { pallet: 'System', name: 'ExhaustsResources', docs: 'The action is heavier than a block can hold.' }

interface CandidateRow extends QueuedAction {
  of_share: string
  before_state: ActionRow['state'] | null
  ahead_sequence: number | null
  ahead_nonce: number | null
}

/** The actions are in order of arrival; each is joined with its predecessor and the highest of its DID in flight. */
async function findCandidates(db: Db, limit: number): Promise<Candidate[]> {
  const { rows } = await sql<CandidateRow>`
    with recursive shares as (
      (select min(coalesce(share, did)) as share from signer.actions where state = 'queued')
      union all
      select (select min(coalesce(share, did)) from signer.actions
        where state = 'queued' and coalesce(share, did) > shares.share)
      from shares where shares.share is not null)
    select queued.*, shares.share as of_share, before.state as before_state, ahead.sequence as ahead_sequence,
      ahead.nonce as ahead_nonce
    from shares
    cross join lateral (select id, ordinal, did, sequence, size, is_solo from signer.actions where state = 'queued' and coalesce(share, did) = shares.share
      order by ordinal limit ${limit}) queued
    left join signer.actions before on before.did = queued.did and before.sequence = queued.sequence - 1
    left join lateral (select sequence, nonce from signer.actions
      where did = queued.did and state in ('signed', 'submitted', 'included')
      order by sequence desc limit 1) ahead on true
    order by queued.ordinal`.execute(db)
  return rows.map(({ of_share, before_state, ahead_sequence, ahead_nonce, ...action }) => ({
    action,
    share: of_share,
    before: before_state ?? undefined,
    inFlight: ahead_sequence === null ? undefined : { sequence: ahead_sequence, nonce: ahead_nonce },
  }))
}

async function findOnTheWay(db: Db, soloBytes: number): Promise<Map<string, number>> {
  const { rows } = await sql<{ share: string; bytes: number }>`
    select coalesce(share, did) as share, coalesce(sum(greatest(octet_length(encoded_tx),
      case when is_solo then ${soloBytes}::int else 0 end)) filter (where state = 'signed'), 0) as bytes
    from signer.actions where state in ('signed', 'submitted', 'included') group by 1`.execute(db)
  return new Map(rows.map(({ share, bytes }) => [share, bytes]))
}

async function storeSigned(tx: Tx, items: SignedItem[], extrinsicId: number, at: Date): Promise<void> {
  const rows = items.map((item, position) => ({
    id: item.id,
    position,
    nonce: item.nonce,
    call_hash: item.callHash?.toString('hex') ?? null,
    valid_until: item.validUntil,
    transaction_version: item.transactionVersion,
    encoded_tx: item.encodedTx.toString('hex'),
  }))
  await sql`
    update signer.actions set
      state = 'signed', extrinsic_id = ${extrinsicId}, position = item.position, nonce = item.nonce,
      call_hash = decode(item.call_hash, 'hex'), valid_until = item.valid_until,
      transaction_version = item.transaction_version, encoded_tx = decode(item.encoded_tx, 'hex'), updated_at = ${at}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as item(
      id text, position int, nonce bigint, call_hash text, valid_until bigint, transaction_version int, encoded_tx text)
    where actions.id = item.id and actions.state = 'queued'`.execute(tx)
}

/** Writes outcomes and, when one is terminal, tells the listeners. */
export async function settle(tx: Tx, settlements: Settlement[], at: Date): Promise<void> {
  if (settlements.length === 0) return
  await sql`
    update signer.actions set state = item.state, outcome = item.outcome, updated_at = ${at}
    from jsonb_to_recordset(${JSON.stringify(settlements)}::jsonb) as item(id text, state text, outcome jsonb)
    where actions.id = item.id and actions.state not in ('final', 'refused')`.execute(tx)
  if (settlements.some(({ state }) => state !== 'included')) await notifyOutcomes(tx)
}

/** The authorisations are void, or can no longer be brought: they are signed afresh. */
export async function queueAgain(tx: Tx, actionIds: string[], at: Date, solo = false): Promise<void> {
  if (actionIds.length === 0) return
  await tx
    .updateTable('actions')
    .set({ ...unsigned, updated_at: at, ...(solo ? { is_solo: true } : {}) })
    .where('id', 'in', actionIds)
    .where('state', 'in', inFlightStates)
    .execute()
}

export async function dropAll(tx: Tx, extrinsicIds: number[], at: Date, solo = false): Promise<void> {
  if (extrinsicIds.length === 0) return
  const carried = await tx.selectFrom('actions').select('id').where('extrinsic_id', 'in', extrinsicIds).execute()
  await queueAgain(
    tx,
    carried.map(({ id }) => id),
    at,
    solo,
  )
  await tx
    .updateTable('extrinsics')
    .set({ state: 'dead', bytes: null })
    .where('id', 'in', extrinsicIds)
    .where('state', '=', 'pending')
    .execute()
}
