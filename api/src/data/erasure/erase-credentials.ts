import '../../credentials/credential.tables.js'
import { sql } from 'kysely'
import { addCount, type Erasure, type Needs } from './erasure.store.js'
import { markedRows } from './mark-old-credentials.js'

const AT_ONCE = 500

/** Marks credentials of a version of this service that left the marks out. @returns whether there may be more */
export function markCredentials({ db, events }: Needs, { team_id }: Erasure): Promise<boolean> {
  return db.transaction('system', async (tx) => {
    const unmarked = await tx
      .selectFrom('credentials')
      .select(['n', 'team_id', 'id', 'subject_ref', 'marks'])
      .where('team_id', '=', team_id)
      .where('marks', 'is', null)
      .limit(AT_ONCE)
      .forUpdate()
      .execute()
    for (const { n, marks } of markedRows(events, unmarked))
      tx.defer(tx.updateTable('credentials').set({ marks }).where('n', '=', n))
    return unmarked.length > 0
  })
}

/** Deletes some credentials that have a mark, and adds their own marks to those that are looked for. */
export function eraseCredentials({ db, events }: Needs, erasure: Erasure): Promise<boolean> {
  const { id, team_id } = erasure
  return db.transaction('system', async (tx) => {
    const { rows } = await sql<{ id: string }>`delete from service.credentials where n = any(array(
        select k.n from service.credentials k where k.team_id = ${team_id} and k.marks && ${erasure.marks}::bytea[] limit ${AT_ONCE}))
      returning id`.execute(tx)
    if (rows.length === 0) return false
    const found = events.marksOf(
      team_id,
      rows.map((row) => row.id),
    )
    await sql`update service.erasures set marks = array(select distinct unnest(marks || ${found}::bytea[])) where id = ${id}`.execute(
      tx,
    )
    await addCount(tx, erasure, 'credentials', rows.length)
    return true
  })
}
