import { sql } from 'kysely'
import { eraseRequests } from '../../credentials/batch/erase-rows.js'
import { MAIL_CHANNEL } from '../../credentials/delivery/mail.store.js'
import { eraseByMarks } from './erase-by-marks.js'
import { eraseByText } from './erase-by-text.js'
import { eraseCredentials, markCredentials } from './erase-credentials.js'
import { addCount, type Erasure, type Needs } from './erasure.store.js'

/**
 * Does a piece of an erasure, which is told by what is there: it may be done twice, and by several workers. It ends when
 * nothing is left of the marks that it has by then: another worker may have added some meanwhile.
 */
export async function erasePiece(needs: Needs, erasure: Erasure): Promise<'more' | 'done'> {
  const { db, clock } = needs
  if (await markCredentials(needs, erasure)) return 'more'
  // The credentials of a subject are found by the subject's mark, and everything about them by theirs.
  if (await eraseCredentials(needs, erasure)) return 'more'
  if (await eraseByMarks(needs, erasure)) return 'more'
  const { id, team_id: team, marks } = erasure
  const requests = await eraseRequests(needs, { team, marks })
  if (requests > 0) {
    await db.transaction('system', (tx) => addCount(tx, erasure, 'credential_batch_rows', requests))
    // Some of them may have been issued at that moment.
    return 'more'
  }
  // A request that was issued before it was read here is a credential, which was not there when the first were erased.
  if ((await eraseCredentials(needs, erasure)) || (await eraseByMarks(needs, erasure))) return 'more'
  await eraseByText(needs, erasure)
  return db.transaction('system', async (tx) => {
    const { numAffectedRows } = await sql`update service.erasures set ended = ${clock.now()}
      where id = ${id} and ended is null and coalesce(marks, '{}') = ${marks}::bytea[]`.execute(tx)
    if (!numAffectedRows) return 'more'
    // The mails of the team have waited for that.
    await sql`select pg_notify(${MAIL_CHANNEL}, '')`.execute(tx)
    return 'done'
  })
}
