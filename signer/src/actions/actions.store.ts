import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type AuditEntry, noting } from '../audit.js'
import type { Clock } from '../clock.js'
import { anyOf, type Db, isTaken } from '../database.js'
import { SignerError } from '../errors.js'
import type { Action, ActionState } from '../wire.js'

/** Stores the actions of callers; the pipeline takes them from there. */
export interface ActionInbox {
  accept(actions: Action[]): Promise<string[]>
  states(ids: string[]): Promise<ActionState[]>
}

export function openActionInbox(db: Db, clock: Clock): ActionInbox {
  return {
    async accept(actions) {
      actions.forEach(refuseRepeatedServices)
      const rows = actions.map((action) => rowOf(action, clock))
      // Keys that act are in use, whether or not anybody has bound them.
      const arrival = { rows, keyRefs: actions.flatMap(keyRefsOf), at: new Date(clock()) }
      if (!(await storeNew(db, arrival))) await storeMissing(db, arrival)
      return rows.map((row) => row.id)
    },
    async states(ids) {
      const rows = await db
        .selectFrom('actions')
        .select(['id', 'state', 'outcome'])
        .where('id', '=', anyOf(ids))
        .execute()
      return rows.map(({ id, state, outcome }) => (outcome === null ? { id, state } : { id, state, outcome }))
    },
  }
}

type NewRow = ReturnType<typeof rowOf>

interface Arrival {
  rows: NewRow[]
  keyRefs: string[]
  at: Date
}

const entriesOf = (rows: NewRow[]): AuditEntry[] => [
  { capability: 'act', operation: 'submitActions', subjects: rows.map(({ id }) => id), outcome: 'done' },
]

/** Stores the actions when none of them is known yet, in one round trip. Returns whether it did. */
async function storeNew(db: Db, { rows, keyRefs, at }: Arrival): Promise<boolean> {
  const given = rows.map(({ content, content_hash, ...row }) => ({
    ...row,
    content,
    hash: content_hash.toString('hex'),
  }))
  try {
    const { rows: stored } = await sql`
      with given as (
        select * from json_to_recordset(${JSON.stringify(given)}::json) as given(id text, did text, sequence bigint,
          share text, trace text, size int, content text, hash text, updated_at timestamptz)),
      stored as (
        insert into signer.actions (id, did, sequence, share, trace, size, content, content_hash, updated_at)
        select id, did, sequence, share, trace, size, content::jsonb, decode(hash, 'hex'), updated_at from given
        where not exists (select from signer.actions join given using (id)) returning id),
      bound as (
        update signer.keys set is_bound = true
        where key_ref = ${anyOf(keyRefs)} and not is_bound and exists (select from stored)),
      ${noting(entriesOf(rows), at, sql`exists (select from stored)`)}
      select id from stored`.execute(db)
    return stored.length === rows.length
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

/** Stores those that are not known yet, or none where one of them is another one than the known one. */
async function storeMissing(db: Db, { rows, keyRefs, at }: Arrival): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const tx = transaction.withSchema('signer')
    await tx
      .insertInto('actions')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const ids = rows.map((row) => row.id)
    const stored = await tx.selectFrom('actions').select(['id', 'content_hash']).where('id', '=', anyOf(ids)).execute()
    refuseOthers(rows, new Map(stored.map((row) => [row.id, row.content_hash])))
    await tx
      .updateTable('keys')
      .set({ is_bound: true })
      .where('key_ref', '=', anyOf(keyRefs))
      .where('is_bound', '=', false)
      .execute()
    await sql`with ${noting(entriesOf(rows), at)} select from noted`.execute(tx)
  })
}

function rowOf({ share, trace, ...action }: Action, clock: Clock) {
  const content = JSON.stringify(action)
  return {
    id: action.id,
    did: action.did,
    sequence: action.sequence,
    share: share ?? null,
    trace: trace ?? null,
    size: sizeOf(action),
    content,
    content_hash: createHash('sha256').update(canonical(action)).digest(),
    updated_at: new Date(clock()),
  }
}

/** The approximate bytes of the calls. */
function sizeOf(action: Action): number {
  const overhead = 200
  if (action.kind !== 'create') return action.calls.reduce((sum, call) => sum + call.length / 2, overhead)
  return action.keys.length * 100 + action.services.length * 600 + overhead
}

/** Tells whether two actions are the same, whatever the order in which their members were written. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  )
}

function refuseOthers(rows: { id: string; content_hash: Buffer }[], stored: Map<string, Buffer>) {
  for (const { id, content_hash } of rows) {
    const hash = stored.get(id)
    if (hash === undefined) {
      throw new SignerError(409, 'sequence_taken', `The place of action ${id} in its DID's sequence is taken.`)
    }
    if (!hash.equals(content_hash)) {
      throw new SignerError(409, 'id_taken', `Action ${id} is known with other content.`)
    }
  }
}

/** The ledger would answer `AlreadyExists`, which for a creation means that the DID exists. */
function refuseRepeatedServices(action: Action) {
  if (action.kind !== 'create') return
  if (new Set(action.services.map(({ id }) => id)).size === action.services.length) return
  throw new SignerError(422, 'malformed_action', `Two services of action ${action.id} have the same id.`)
}

function keyRefsOf(action: Action): string[] {
  if (action.kind === 'dispatch') return [action.keyRef]
  if (action.kind === 'authorised') return []
  return action.keys.flatMap((key) => (key.keyRef === undefined ? [] : [key.keyRef]))
}
