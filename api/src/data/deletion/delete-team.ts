import '../../accounts/account.tables.js'
import { sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { json } from '../../platform/database/tables.js'
import type { Environment } from '../../platform/http/context.js'
import { type TableShape, tableShapes } from '../table-shapes.js'
import { AT_ONCE, blankColumns, blankRows, deleteRows, endsWithTeam } from './delete-rows.js'
import { destroyAccumulatorKeys, destroyKeysOfDids, destroyMacKeys } from './destroy-keys.js'

/** Carried out in pieces: after each of them a worker may be killed, and another one goes on. */
export interface Deletion {
  id: string
  team_id: TeamId
}

/** Whether more is left, and whether somebody else has to do something first. */
export type Progress = 'more' | 'waits' | 'done'

type Needs = Pick<Environment, 'db' | 'signer' | 'clock'>

/** The tables that are needed until the ledger has answered all that it was asked, and the keys are destroyed. */
const LATE = new Set(['jobs', 'ledger_actions', 'dids', 'did_keys', 'mac_keys'])

/** Does a piece of a deletion, which is told by what is there: it may be done twice, and by several workers. */
export async function deletePiece(environment: Needs, deletion: Deletion): Promise<Progress> {
  const { db } = environment
  const shapes = await db.read('system', (reader) => tableShapes(db, reader))
  const going = shapes.filter((shape) => endsWithTeam(shape))
  const early = going.filter(({ table }) => !LATE.has(table))
  if (await someOf(environment, deletion, early, deleteRows)) return 'more'
  if (await forgetUnsent(environment, deletion)) return 'more'
  if (await db.read('system', (reader) => hasOpenActions(reader, deletion.team_id))) return 'waits'
  if (await destroySome(environment, deletion)) return 'more'
  if (await someOf(environment, deletion, going, deleteRows)) return 'more'
  const staying = shapes.filter((shape) => blankColumns(shape).length > 0)
  if (await someOf(environment, deletion, staying, blankRows)) return 'more'
  return endTeam(environment, deletion)
}

/**
 * Does away with some rows of each table, in their order. A row takes those that name it with it: it waits for them, so
 * that each is counted, and no statement takes more than its own.
 *
 * @returns whether there were any
 */
function someOf(
  { db }: Needs,
  deletion: Deletion,
  shapes: readonly TableShape[],
  take: typeof deleteRows,
): Promise<boolean> {
  return db.transaction('system', async (tx) => {
    const counts: Record<string, number> = {}
    const waiting = new Set<string>()
    for (const shape of shapes) {
      const { table, names } = shape
      const count = waiting.has(table) ? 0 : await take(tx, shape, deletion.team_id)
      if (count > 0) counts[table] = count
      if (count >= AT_ONCE || waiting.has(table)) for (const name of names) waiting.add(name)
    }
    const areAny = Object.keys(counts).length > 0
    if (areAny) await addCounts(tx, deletion, counts)
    return areAny
  })
}

const addCounts = (tx: Tx, { id }: Deletion, counts: Readonly<Record<string, number>>) =>
  sql`update service.deletions d set counts = d.counts || (
      select jsonb_object_agg(c.key, coalesce((d.counts ->> c.key)::bigint, 0) + c.value::bigint)
      from jsonb_each_text(${json(counts)}::jsonb) c)
    where id = ${id}`.execute(tx)

/** Deletes the actions that wait for a signature, or for others: nobody brings them to the ledger any more. */
async function forgetUnsent({ db }: Needs, { team_id }: Deletion): Promise<boolean> {
  const gone = await db.transaction('system', (tx) =>
    tx
      .deleteFrom('ledger_actions')
      .where('team_id', '=', team_id)
      .where('state', 'in', ['waiting', 'planned'])
      .executeTakeFirst(),
  )
  return gone.numDeletedRows > 0n
}

/** Tells whether the ledger was asked for something by the team, or in the name of one of its DIDs, and did not answer yet. */
async function hasOpenActions(reader: Reader, team: TeamId): Promise<boolean> {
  const { rows } = await sql<{ isOpen: boolean }>`select exists (
    select from service.ledger_actions a where a.state in ('pending', 'accepted', 'included')
      and (a.team_id = ${team} or exists (select from service.dids d where d.did = a.did and d.team_id = ${team}))
    ) as "isOpen"`.execute(reader)
  return rows[0]?.isOpen ?? false
}

/** The count under which it stands that the keys of accumulators are gone. */
const ACCUMULATORS = 'accumulator keys'

async function destroySome(environment: Needs, deletion: Deletion): Promise<boolean> {
  const { db } = environment
  const note = (name: string, count: number) =>
    db.transaction('system', (tx) => addCounts(tx, deletion, { [name]: count }).then(() => undefined))
  for (const destroy of [destroyKeysOfDids, destroyMacKeys]) {
    const count = await destroy(environment, deletion.team_id)
    if (count > 0) await note('private keys', count)
    if (count > 0) return true
  }
  const { counts } = await db.read('system', (reader) =>
    reader.selectFrom('deletions').select('counts').where('id', '=', deletion.id).executeTakeFirstOrThrow(),
  )
  if (ACCUMULATORS in counts) return false
  let [after, total]: [number | undefined, number] = [0, 0]
  while (after !== undefined) {
    const { count, next } = await destroyAccumulatorKeys(environment, deletion.team_id, after)
    total += count
    after = next
  }
  await note(ACCUMULATORS, total)
  return true
}

/** Ends the deletion of a team without sub-accounts that are still being deleted. */
function endTeam({ db, clock }: Needs, { id, team_id }: Deletion): Promise<Progress> {
  return db.transaction('system', async (tx) => {
    const child = await tx.selectFrom('teams').select('id').where('parent_id', '=', team_id).limit(1).executeTakeFirst()
    if (child) return 'waits'
    // The parent's audit names it.
    await sql`update service.audit a set before = null, after = null from service.teams t
      where t.id = ${team_id} and a.team_id = t.parent_id and a.subject = ${String(team_id)}
        and a.action in ('createSubAccount', 'updateSubAccount', 'deleteSubAccount')`.execute(tx)
    await tx.deleteFrom('teams').where('id', '=', team_id).execute()
    // Those whom a command made together with their team have no address to sign in with.
    await sql`delete from service.users u where u.email is null
      and not exists (select from service.team_members m where m.user_id = u.id)`.execute(tx)
    tx.defer(tx.updateTable('deletions').set({ ended: clock.now() }).where('id', '=', id))
    return 'done'
  })
}
