import { createHash } from 'node:crypto'
import type { Clock } from '../clock.js'
import type { Db } from '../database.js'
import { SignerError } from '../errors.js'
import type { Action, ActionState } from '../server/wire.js'

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
      await db.transaction().execute(async (transaction) => {
        const tx = transaction.withSchema('signer')
        await tx
          .insertInto('actions')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        const ids = rows.map((row) => row.id)
        const stored = await tx.selectFrom('actions').select(['id', 'content_hash']).where('id', 'in', ids).execute()
        refuseOthers(rows, new Map(stored.map((row) => [row.id, row.content_hash])))
        // Keys that act are in use, whether or not anybody has bound them.
        const keyRefs = actions.flatMap(keyRefsOf)
        if (keyRefs.length > 0) {
          await tx
            .updateTable('keys')
            .set({ is_bound: true })
            .where('key_ref', 'in', keyRefs)
            .where('is_bound', '=', false)
            .execute()
        }
      })
      return rows.map((row) => row.id)
    },
    async states(ids) {
      const rows = await db.selectFrom('actions').select(['id', 'state', 'outcome']).where('id', 'in', ids).execute()
      return rows.map(({ id, state, outcome }) => (outcome === null ? { id, state } : { id, state, outcome }))
    },
  }
}

function rowOf({ share, ...action }: Action, clock: Clock) {
  const content = JSON.stringify(action)
  return {
    id: action.id,
    did: action.did,
    sequence: action.sequence,
    share: share ?? null,
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
