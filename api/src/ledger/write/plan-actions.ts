import { sql } from 'kysely'
import { anyOf } from '../../platform/database/any-of.js'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { type JsonObject, json } from '../../platform/database/tables.js'
import type { Environment } from '../../platform/http/context.js'
import type { CarryingAction, JobEffects, NothingToDo } from './job-effects.js'
import type { GivenUp } from './pending-actions.js'
import { storedAction } from './start-job.js'

export interface PlanServices extends Environment {
  jobEffects: JobEffects
}

interface PlannedRow {
  id: string
  did: string
  team: TeamId
  kind: string
  subject: string
  plan: JsonObject
}

const SUBJECTS_AT_ONCE = 20
const MOST_OF_A_SUBJECT = 1000

/**
 * Makes actions of planned ones: of each subject one that carries as many as it can, while none is on its way to it.
 * A subject of which none can be made now stops no other; the next round tries again.
 *
 * @returns the number of actions that were made, or given up
 */
export async function planActions(services: PlanServices): Promise<number> {
  let made = 0
  for (const rows of await nextPlanned(services))
    try {
      if (await planSubject(services, rows)) made += 1
    } catch (error) {
      services.log.error({ err: error, subject: rows[0].subject }, 'a planned action could not be made')
    }
  return made
}

type OfOneSubject = readonly [PlannedRow, ...PlannedRow[]]

/** The planned actions of each subject that nothing is on its way to, the oldest first. */
async function nextPlanned({ db }: PlanServices): Promise<OfOneSubject[]> {
  const { rows } = await db.read('system', (reader) =>
    sql<PlannedRow>`
      with due as (
        select planned_in as subject, min(created) as since from service.ledger_actions p
        where state = 'planned' and not exists (
          select from service.ledger_actions o
          where o.planned_in = p.planned_in and o.state in ('pending', 'accepted', 'included'))
        group by planned_in order by since limit ${SUBJECTS_AT_ONCE})
      select p.id, p.did, p.team_id as team, j.kind, due.subject, p.plan
      from due cross join lateral (
        select * from service.ledger_actions a where a.planned_in = due.subject and a.state = 'planned'
        order by a.created, a.job_id, a.part limit ${MOST_OF_A_SUBJECT}) p
      join service.jobs j on j.id = p.job_id
      order by due.since, due.subject, p.created, p.job_id, p.part`.execute(reader),
  )
  const bySubject = new Map<string, [PlannedRow, ...PlannedRow[]]>()
  for (const row of rows) {
    const known = bySubject.get(row.subject)
    if (known) known.push(row)
    else bySubject.set(row.subject, [row])
  }
  return [...bySubject.values()]
}

async function planSubject(services: PlanServices, rows: OfOneSubject): Promise<boolean> {
  const { jobEffects, db } = services
  const [oldest] = rows
  const plan = jobEffects[oldest.kind]?.plan
  if (plan === undefined) throw new Error(`nothing makes actions of jobs of kind ${oldest.kind}`)
  const other = rows.findIndex(({ kind }) => jobEffects[kind]?.plan !== plan)
  const planned = await plan(services, other < 0 ? rows : rows.slice(0, other))
  return db.transaction('system', (tx) => {
    if ('action' in planned) return carry(tx, rows, planned)
    return 'isDone' in planned ? settle(tx, rows, planned) : giveUp(tx, oldest, planned)
  })
}

/** The oldest becomes the action that is sent; what becomes of it becomes of the others that it carries. */
async function carry(tx: Tx, [oldest, ...others]: OfOneSubject, { action, carries }: CarryingAction): Promise<boolean> {
  const carried = others.slice(0, carries - 1).map(({ id }) => id)
  const { numUpdatedRows } = await tx
    .updateTable('ledger_actions')
    .set({ state: 'pending', action: json(storedAction(action)), answers: carried.length > 0 ? carried : null })
    .where('id', '=', oldest.id)
    .where('state', '=', 'planned')
    .executeTakeFirst()
  // Another worker was faster.
  if (numUpdatedRows === 0n) return false
  await sql`update service.ledger_actions set sequence = taken.first
    from service.take_sequences(array[${oldest.did}], array[1]) taken where id = ${oldest.id}`.execute(tx)
  return true
}

/** Ends actions that need no block: the follower finishes their jobs. */
async function settle(tx: Tx, rows: OfOneSubject, { carries }: NothingToDo): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('ledger_actions')
    .set({ state: 'included', outcome: json({}) })
    .where('id', '=', anyOf(rows.slice(0, carries).map(({ id }) => id)))
    .where('state', '=', 'planned')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function giveUp(tx: Tx, { id }: PlannedRow, { type, message }: GivenUp): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('ledger_actions')
    .set({ state: 'included', outcome: json({ error: { pallet: 'Service', name: type, docs: message } }) })
    .where('id', '=', id)
    .where('state', '=', 'planned')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Plans again the parts of a job that were refused since somebody else was faster, in their old place.
 * @returns false where a refused part was not planned: nothing is done
 */
export async function planAgain(tx: Tx, jobId: string): Promise<boolean> {
  const { rows } = await sql<{ isPlanned: boolean | null }>`
    select bool_and(plan is not null) as "isPlanned" from service.ledger_actions
    where job_id = ${jobId} and state = 'refused'`.execute(tx)
  if (!rows[0]?.isPlanned) return false
  await sql`
    insert into service.ledger_actions (id, job_id, part, team_id, did, action, items, state, planned_in, plan, created)
    select job_id || '-' || place, job_id, place, team_id, did, '{}', items, 'planned', planned_in, plan, created
    from (select a.*, l.last + row_number() over (order by a.part) as place
      from service.ledger_actions a, (select max(part) as last from service.ledger_actions where job_id = ${jobId}) l
      where a.job_id = ${jobId} and a.state = 'refused') again`.execute(tx)
  return true
}
