import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { JsonObject, PartItem } from '../../platform/database/tables.js'
import { ApiError } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { DryRunAnswer } from '../../platform/http/dry-run.js'
import { signerAction } from './relay.js'
import type { DryRunOutcome, LedgerAction, SignerAction, SignerDoor } from './signer-door.js'
import { jobsStartedIn, storedAction } from './start-job.js'

/** The limit is larger than the writes of any one request. */
const MOST_ACTIONS = 500

/**
 * Carries out an operation in a transaction that is rolled back, with keys that nobody keeps, and asks the ledger what
 * would come of the actions that it put into the outbox. No row, key, header or event remains.
 */
export async function dryRun(ctx: Context, act: (ctx: Context) => Promise<unknown>): Promise<DryRunAnswer> {
  const { own, before } = await ctx.db.dryRun(ctx.scope, async (db) => {
    await act(dryRunContext(ctx, db))
    return db.read(ctx.scope, outboxOf)
  })
  if (own.length === 0) return { changes: [], refusals: [] }
  if (own.length > MOST_ACTIONS || before.length > MOST_ACTIONS)
    throw new ApiError('payload_too_large', `A dry run takes at most ${MOST_ACTIONS} parts of a job`)
  const outcomes = await ctx.signer.dryRun(
    own.map((row) => signerAction(row)),
    before.map((row) => signerAction(row)),
  )
  return {
    changes: outcomes.flatMap((outcome) => ('changes' in outcome ? outcome.changes : [])),
    refusals: own.flatMap(({ part, did, items }, index) => {
      const outcome = outcomes[index]
      if (outcome === undefined || 'changes' in outcome) return []
      const why = { type: outcome.error.name, message: outcome.error.docs }
      return [{ part, did, ...why, ...(items && { rows: items.map(({ row }) => row) }) }]
    }),
  }
}

const SIGNATURE_BYTES = 112

/** Nothing waits for a job that will never exist, and no header names it. */
function dryRunContext(ctx: Context, db: Context['db']): Context {
  const ledger = { ...ctx.config.ledger, waitMs: 0 }
  const reply = { header: () => undefined, type: () => undefined }
  return { ...ctx, isDryRun: true, db, reply, config: { ...ctx.config, ledger }, signer: dryRunSigner(ctx.signer) }
}

function dryRunSigner(signer: SignerDoor): SignerDoor {
  return {
    ...signer,
    ...signer.throwaway,
    bindKeys: () => Promise.resolve(),
    destroyKeys: () => Promise.resolve(),
    // Nobody sees what a dry run signs.
    signMessages: () => Promise.resolve(new Uint8Array(SIGNATURE_BYTES)),
    submitActions: () => Promise.reject(new Error('a dry run submits nothing')),
  }
}

/** Returns the outcomes of actions that take no place in the outbox; `before` is what their DIDs have in it. */
export function tryActions(ctx: Context, actions: LedgerAction[], before: SignerAction[]): Promise<DryRunOutcome[]> {
  const tried = actions.map((action, index) =>
    signerAction({ id: `try ${index}`, sequence: index, action: storedAction(action) }),
  )
  return ctx.signer.dryRun(tried, before)
}

/** Returns the actions of a DID in the outbox that the signer may not know yet. */
export async function pendingActions(reader: Reader, did: string): Promise<SignerAction[]> {
  const rows = reader.selectFrom('ledger_actions').select(['id', 'sequence', 'action']).where('did', '=', did)
  const pending = await rows.where('state', '=', 'pending').orderBy('sequence').execute()
  return pending.slice(-MOST_ACTIONS).map((row) => signerAction(row))
}

interface OutboxRow {
  id: string
  did: string
  part: number
  sequence: number
  action: JsonObject
  items: PartItem[] | null
  isOwn: boolean
}

/**
 * Returns the actions that this transaction put into the outbox, and those of the same DIDs that the signer may not
 * know yet.
 */
async function outboxOf(reader: Reader): Promise<{ own: OutboxRow[]; before: OutboxRow[] }> {
  const { rows } = await sql<OutboxRow>`
    with pending as (
      select id, job_id, did, part, sequence, action, items, job_id = any(${jobsStartedIn(reader)}) as "isOwn"
      from service.ledger_actions where state = 'pending')
    select id, did, part, sequence, action, items, "isOwn" from pending
    where did in (select did from pending where "isOwn") order by "isOwn", job_id, part`.execute(reader)
  return { own: rows.filter(({ isOwn }) => isOwn), before: rows.filter(({ isOwn }) => !isOwn) }
}
