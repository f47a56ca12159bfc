/** The states of actions and extrinsics. Every write is fenced; every write is one statement. */
import { hexOf } from '@accredit/chain'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Clock } from '../clock.js'
import { type ActionsTable, anyOf, type Db, type FencedWrite } from '../database.js'
import type { Action, Outcome, PalletError } from '../wire.js'

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
  /** The trace that it belongs to, as a W3C traceparent. */
  trace: string | null
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

/** Everything on its way to the ledger, as of one moment. */
export interface OnTheWay {
  /** The nonces of the extrinsics that are in no final block. */
  nonces: number[]
  /** The highest nonce of the account that a final block holds. */
  lastFinalNonce: number | undefined
  /** The bytes of each share that the ledger has not answered for; 0 if it has and no block is final. */
  bytes: Map<string, number>
}

export interface PipelineStore {
  /** Returns the number of actions that are in no block yet. */
  waiting(): Promise<number>
  /** Returns the first queued actions of each share, at most so many. */
  candidates(limit: number): Promise<Candidate[]>
  /** Returns the same actions with their calls. */
  withContent(candidates: Candidate[]): Promise<Chosen[]>
  onTheWay(account: string, soloBytes: number): Promise<OnTheWay>
  pending(): Promise<PendingExtrinsic[]>
  /** Stores authorisations together with the extrinsic that is about to carry them. */
  sign(items: SignedItem[], extrinsic: NewExtrinsic): Promise<PendingExtrinsic>
  submitted(extrinsicId: number): Promise<void>
  /** Tells the index, by a hint, to which traces the work of an extrinsic belongs. */
  tellTraces(hash: Buffer, traces: readonly string[]): Promise<void>
  refuse(refusals: { id: string; error: PalletError }[]): Promise<void>
  /** Records that the extrinsic can never be included: its actions are queued again. */
  drop(extrinsicId: number): Promise<void>
  /** Does the same for all that were made with an account nonce, or for a runtime, of the past. */
  expireBelow(limit: { nonce: number } | { specVersion: number }): Promise<void>
  /** Records that its items are heavier than a block at once: each travels alone. One that already did is refused. */
  dropTooHeavy(extrinsicId: number): Promise<void>
}

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
      const rows = await db
        .selectFrom('actions')
        .select(['id', 'content', 'trace'])
        .where('id', '=', anyOf(ids))
        .execute()
      const contents = new Map(rows.map(({ id, ...row }) => [id, row]))
      return candidates.flatMap((candidate) => {
        const row = contents.get(candidate.action.id)
        return row === undefined ? [] : [{ ...candidate, ...row }]
      })
    },
    onTheWay: (account, soloBytes) => findOnTheWay(db, account, soloBytes),
    async pending() {
      const rows = await db
        .selectFrom('extrinsics')
        .select(['id', 'nonce', 'hash', 'bytes', 'spec_version as specVersion'])
        .where('state', '=', 'pending')
        .orderBy('nonce')
        .execute()
      return rows.flatMap(({ bytes, ...row }) => (bytes === null ? [] : [{ ...row, bytes }]))
    },
    async sign(items, extrinsic) {
      const { id } = await write(signing(items, extrinsic, now()))
      const { nonce, hash, bytes, specVersion } = extrinsic
      return { id, nonce, hash, bytes, specVersion }
    },
    async submitted(extrinsicId) {
      await write(sql`submitted as (
        update signer.actions set state = 'submitted', updated_at = ${now()}::timestamptz
        from held where extrinsic_id = ${extrinsicId}::bigint and state = 'signed')
        select from held`)
    },
    async tellTraces(hash, traces) {
      await sql`select pg_notify('ledger_traces', ${JSON.stringify({ hash: hexOf(hash), traces })})`.execute(db)
    },
    async refuse(refusals) {
      await write(sql`${settling(refused(refusals), now())} select ${tellingOutcomes(refusals)} from held`)
    },
    async drop(extrinsicId) {
      await write(sql`${dropping(sql`id = ${extrinsicId}::bigint`, now())} select from held`)
    },
    async expireBelow(limit) {
      const below = 'nonce' in limit ? sql`nonce < ${limit.nonce}::int` : sql`spec_version < ${limit.specVersion}::int`
      await write(sql`${dropping(below, now())} select from held`)
    },
    async dropTooHeavy(extrinsicId) {
      const carried = await db.selectFrom('actions').select('id').where('extrinsic_id', '=', extrinsicId).execute()
      const refusals = carried.length > 1 ? [] : carried.map(({ id }) => ({ id, error: tooHeavy }))
      const own = sql`id = ${extrinsicId}::bigint`
      await write(sql`${settling(refused(refusals), now())}, ${dropping(own, now(), { solo: true, refusals })}
        select ${tellingOutcomes(refusals)} from held`)
    },
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

interface OnTheWayRow {
  nonces: number[]
  last: number | null
  shares: string[]
  bytes: number[]
}

/** One statement has one view of the tables: no nonce is in neither of its answers. */
async function findOnTheWay(db: Db, account: string, soloBytes: number): Promise<OnTheWay> {
  const { rows } = await sql<OnTheWayRow>`
    select array(select nonce from signer.extrinsics where state = 'pending') as nonces,
      (select max(nonce) from signer.extrinsics where account = ${account} and state = 'final') as last,
      coalesce(array_agg(share), '{}') as shares, coalesce(array_agg(bytes), '{}') as bytes
    from (select coalesce(share, did) as share, coalesce(sum(greatest(octet_length(encoded_tx),
        case when is_solo then ${soloBytes}::int else 0 end)) filter (where state = 'signed'), 0)::int as bytes
      from signer.actions where state in ('signed', 'submitted', 'included') group by 1) on_the_way`.execute(db)
  const { nonces, last, shares, bytes } = rows[0] ?? { nonces: [], last: null, shares: [], bytes: [] }
  const byShare = new Map(shares.map((share, index) => [share, bytes[index] ?? 0]))
  return { nonces, lastFinalNonce: last ?? undefined, bytes: byShare }
}

function signing(items: SignedItem[], extrinsic: NewExtrinsic, at: Date): RawBuilder<{ id: number }> {
  const rows = items.map((item, position) => ({
    id: item.id,
    position,
    nonce: item.nonce,
    call_hash: item.callHash?.toString('hex') ?? null,
    valid_until: item.validUntil,
    transaction_version: item.transactionVersion,
    encoded_tx: item.encodedTx.toString('hex'),
  }))
  const { hash, account, nonce, bytes, specVersion, diesAt } = extrinsic
  return sql<{ id: number }>`
    carrier as (
      insert into signer.extrinsics (hash, account, nonce, bytes, spec_version, dies_at, created_at)
      select ${hash}::bytea, ${account}, ${nonce}::int, ${bytes}::bytea, ${specVersion}::int, ${diesAt}::bigint,
        ${at}::timestamptz
      from held returning id),
    signed as (
      update signer.actions set
        state = 'signed', extrinsic_id = carrier.id, position = item.position, nonce = item.nonce,
        call_hash = decode(item.call_hash, 'hex'), valid_until = item.valid_until,
        transaction_version = item.transaction_version, encoded_tx = decode(item.encoded_tx, 'hex'),
        updated_at = ${at}::timestamptz
      from carrier, json_to_recordset(${JSON.stringify(rows)}::json) as item(
        id text, position int, nonce bigint, call_hash text, valid_until bigint, transaction_version int, encoded_tx text)
      where actions.id = item.id and actions.state = 'queued')
    select id from carrier`
}

const refused = (refusals: { id: string; error: PalletError }[]): Settlement[] =>
  refusals.map(({ id, error }) => ({ id, state: 'refused', outcome: { error } }))

/** Writes outcomes, as a part of a fenced statement. An action that came to its end keeps it. */
export const settling = (settlements: Settlement[], at: Date) => sql`
  settled as (
    update signer.actions set state = item.state, outcome = item.outcome, updated_at = ${at}::timestamptz
    from held, json_to_recordset(${JSON.stringify(settlements)}::json) as item(id text, state text, outcome jsonb)
    where actions.id = item.id and actions.state not in ('final', 'refused'))`

/** Postgres takes a little less than 8,000 bytes with a notification. */
const mostToldBytes = 7000

/** Tells the listeners which actions came to their end; stands among what a fenced statement selects. */
export function tellingOutcomes(ended: { id: string }[]) {
  const ids = JSON.stringify(ended.map(({ id }) => id))
  const told = Buffer.byteLength(ids) > mostToldBytes ? '' : ids
  return sql`(select pg_notify('signer_outcomes', ${told}) where ${ended.length > 0}::boolean)`
}

/** The columns of an action whose authorisation is void, or can no longer be brought: it is signed afresh. */
const unsigned = sql`state = 'queued', nonce = null, call_hash = null, valid_until = null, transaction_version = null,
  encoded_tx = null, extrinsic_id = null, position = null, outcome = null`
const inFlight = sql`actions.state in ('signed', 'submitted', 'included')`

/** Queues actions again, as a part of a fenced statement; those of `alone` travel alone. */
export const queueingAgain = (again: string[], alone: string[], at: Date) => sql`
  queued_again as (
    update signer.actions set ${unsigned}, is_solo = is_solo or id = ${anyOf(alone)}, updated_at = ${at}::timestamptz
    from held where id = ${anyOf([...again, ...alone])} and ${inFlight})`

interface Dropping {
  /** The actions travel alone from now on. */
  solo: boolean
  /** These are not queued again. */
  refusals: { id: string }[]
}

/** Gives up the pending extrinsics that a condition names, as a part of a fenced statement: `dead` has their ids. */
export const dropping = (
  which: RawBuilder<unknown>,
  at: Date,
  { solo, refusals }: Dropping = { solo: false, refusals: [] },
) => sql`
  dead as (
    update signer.extrinsics set state = 'dead', bytes = null from held where state = 'pending' and ${which}
    returning id),
  freed as (
    update signer.actions set ${unsigned}, is_solo = is_solo or ${solo}::boolean, updated_at = ${at}::timestamptz
    from dead where actions.extrinsic_id = dead.id and ${inFlight}
      and actions.id <> all(${refusals.map(({ id }) => id)}::text[]))`
