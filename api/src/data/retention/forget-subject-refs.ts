import '../../credentials/credential.tables.js'
import type { Sweep } from '../../platform/sweeps/sweep.js'
import { markedRows } from '../erasure/mark-old-credentials.js'

const AT_ONCE = 500

/** Forgets the ids of subjects that teams keep no longer: their marks stay, by which erasure finds the credentials. */
export const forgetSubjectRefs: Sweep = async ({ db, events }) => {
  for (;;) {
    const found = await db.transaction('system', async (tx) => {
      const due = await tx
        .selectFrom('credentials as c')
        .innerJoin('teams as t', 't.id', 'c.team_id')
        .select(['c.n', 'c.team_id', 'c.id', 'c.subject_ref', 'c.marks'])
        .where('c.subject_ref', '<>', '')
        .where('t.store_subject_ref', '=', false)
        .limit(AT_ONCE)
        .forUpdate('c')
        .skipLocked()
        .execute()
      for (const { n, marks } of markedRows(events, due))
        tx.defer(tx.updateTable('credentials').set({ subject_ref: '', marks }).where('n', '=', n))
      return due.length
    })
    if (found < AT_ONCE) return
  }
}
