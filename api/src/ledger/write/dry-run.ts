import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { JsonObject, PartItem } from '../../platform/database/tables.js'
import { ApiError } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { DryRunAnswer, DryRunner } from '../../platform/http/dry-run.js'
import type { CarryingAction, JobEffects, NothingToDo } from './job-effects.js'
import { jobWatchOf } from './job-watch.js'
import type { GivenUp } from './pending-actions.js'
import { signerAction } from './relay.js'
import type { DryRunOutcome, LedgerAction, SignerAction, SignerDoor } from './signer-door.js'
import { jobsStartedIn, storedAction } from './start-job.js'

/** The limit is larger than the writes of any one request. */
const MOST_ACTIONS = 500

/**
 * Carries out an operation in a transaction that is rolled back, with keys that nobody keeps, and asks the ledger what
 * would come of the actions that it put into the outbox. No row, key, header or event remains, but what the signer notes
 * where it used a key to make an action.
 */
export const dryRunner =
  (effects: JobEffects): DryRunner =>
  async (ctx, act) => {
    const { own, before } = await ctx.db.dryRun(ctx.scope, async (db) => {
      await act(dryRunContext(ctx, db))
      return db.read(ctx.scope, outboxOf)
    })
    if (own.length === 0) return { changes: [], refusals: [] }
    if (own.length > MOST_ACTIONS || before.length > MOST_ACTIONS)
      throw new ApiError('payload_too_large', `A dry run takes at most ${MOST_ACTIONS} parts of a job`)
    return told(own, await outcomesOf(ctx, await madeOf(ctx, effects, own), before))
  }

function told(own: readonly OutboxRow[], outcomes: readonly DryRunOutcome[]): DryRunAnswer {
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

/** Asks the ledger for the outcomes of those that are actions. */
async function outcomesOf(
  ctx: Context,
  made: readonly (SignerAction | DryRunOutcome)[],
  before: readonly OutboxRow[],
): Promise<DryRunOutcome[]> {
  const asked = made.flatMap((one) => ('kind' in one ? [one] : []))
  const outcomes =
    asked.length === 0
      ? []
      : await ctx.signer.dryRun(
          asked,
          before.map((row) => signerAction(row)),
        )
  const answers = outcomes.values()
  return made.map((one) => {
    if (!('kind' in one)) return one
    const { value } = answers.next()
    if (value === undefined) throw new Error('the signer left out the outcome of an action')
    return value
  })
}

/** Returns the action of each row, or the outcome where none would be sent. Planned ones are made as the worker does. */
async function madeOf(
  ctx: Context,
  effects: JobEffects,
  rows: readonly OutboxRow[],
): Promise<(SignerAction | DryRunOutcome)[]> {
  const planned = new Map<OutboxRow, SignerAction | DryRunOutcome>()
  for (const subject of new Set(rows.flatMap(({ subject }) => subject ?? [])))
    for (const [row, made] of await foretold(
      ctx,
      effects,
      rows.filter((row) => row.subject === subject),
    ))
      planned.set(row, made)
  return rows.map((row) => planned.get(row) ?? signerAction(row))
}

/** Makes what is planned of one subject, when nothing else is on its way to it. */
async function foretold(
  ctx: Context,
  effects: JobEffects,
  rows: readonly OutboxRow[],
): Promise<[OutboxRow, SignerAction | DryRunOutcome][]> {
  const [first] = rows
  const foretell = effects[first?.kind ?? '']?.foretell
  if (first === undefined || foretell === undefined) throw new Error('nothing foretells what is planned')
  await untilFree(ctx, String(first.subject))
  const made = await foretell(
    ctx,
    rows.map(({ did, plan }) => ({ did, team: ctx.team, plan: plan ?? {} })),
  )
  return rows.map((row, index) => [row, triedOf(row, made[index])])
}

function triedOf(
  row: OutboxRow,
  made: CarryingAction | NothingToDo | GivenUp | undefined,
): SignerAction | DryRunOutcome {
  if (made === undefined || 'isDone' in made) return { changes: [] }
  if ('action' in made) return signerAction({ ...row, action: storedAction(made.action) })
  return { error: { pallet: 'Service', name: made.type, docs: made.message } }
}

/**
 * Waits for what others have on the way to a subject, since what is planned is made of what it leaves.
 * @throws 503 when that takes longer than a request waits
 */
async function untilFree(ctx: Context, subject: string): Promise<void> {
  const jobs = await ctx.db.read('system', (reader) =>
    sql<{ id: string }>`select distinct job_id as id from service.ledger_actions
      where planned_in = ${subject} and state in ('planned', 'pending', 'accepted', 'included')`.execute(reader),
  )
  const until = ctx.clock.now().getTime() + ctx.config.ledger.waitMs
  for (const { id } of jobs.rows) {
    const left = until - ctx.clock.now().getTime()
    const ended = await ctx.rest(() => jobWatchOf(ctx).ended(id, Math.max(0, left)))
    if (ended === undefined)
      throw new ApiError('ledger_unavailable', 'Other changes of it are still on their way: ask again')
  }
}

const SIGNATURE_BYTES = 112

/** Nothing waits for a job that will never exist, and no header names it. */
function dryRunContext(ctx: Context, db: Context['db']): Context {
  const ledger = { ...ctx.config.ledger, waitMs: 0 }
  const reply = { header: () => undefined, type: () => undefined, keepWhile: () => undefined }
  return {
    ...ctx,
    isDryRun: true,
    // It holds a connection, of which a caller has as many as it has places.
    rest: (wait) => wait(),
    db,
    reply,
    config: { ...ctx.config, ledger },
    signer: dryRunSigner(ctx.signer),
  }
}

function dryRunSigner(signer: SignerDoor): SignerDoor {
  return {
    ...signer,
    ...signer.throwaway,
    bindKeys: () => Promise.resolve(),
    retireKeys: () => Promise.resolve(),
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
  /** null where it is planned. */
  sequence: number | null
  action: JsonObject
  items: PartItem[] | null
  isOwn: boolean
  kind: string
  /** The subject and the plan of a planned one. */
  subject: string | null
  plan: JsonObject | null
}

/**
 * Returns the actions that this transaction put into the outbox, and those of the same DIDs that the signer may not
 * know yet.
 */
async function outboxOf(reader: Reader): Promise<{ own: OutboxRow[]; before: OutboxRow[] }> {
  const { rows } = await sql<OutboxRow>`
    with own as (select * from service.ledger_actions where state in ('pending', 'planned') and job_id = any(${jobsStartedIn(reader)})),
      before as (select * from service.ledger_actions
        where state = 'pending' and job_id <> all(${jobsStartedIn(reader)}) and did in (select did from own))
    select a.id, a.did, a.part, a.sequence, a.action, a.items, a."isOwn", j.kind, a.planned_in as subject, a.plan
    from (select *, true as "isOwn" from own union all select *, false from before) a
      join service.jobs j on j.id = a.job_id
    order by a."isOwn", a.job_id, a.part`.execute(reader)
  return { own: rows.filter(({ isOwn }) => isOwn), before: rows.filter(({ isOwn }) => !isOwn) }
}
