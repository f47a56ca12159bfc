import { AsyncResource } from 'node:async_hooks'
import { sql } from 'kysely'
import type { Tx } from '../database/database.js'
import type { ScratchDatabase } from './scratch-database.js'

/** Tells how many transactions of this database wait for others. */
export async function waiting({ db }: Pick<ScratchDatabase, 'db'>): Promise<number> {
  const rows = await db.call(sql`select distinct pid from pg_locks join pg_stat_activity using (pid)
    where datname = current_database() and not granted`)
  return rows.length
}

const requests = new AsyncResource('requests outside of the transaction of the test')

interface AtOnce<Answer> {
  /** Takes a lock. What else it writes does not stay. */
  hold(tx: Tx): Promise<unknown>
  first(): Promise<Answer>
  second(): Promise<Answer>
}

/**
 * Sends a request that meets a lock of the test, and then another one, which is answered or waits as well. The lock is let
 * go of then.
 */
export async function atOnceIn<Answer>(
  scratch: Pick<ScratchDatabase, 'db'>,
  { hold, first, second }: AtOnce<Answer>,
): Promise<[Answer, Answer]> {
  const both: Promise<Answer>[] = []
  const undone = new Error('what the test held')
  const held = scratch.db.transaction('system', async (tx) => {
    await hold(tx)
    for (const [i, send] of [first, second].entries()) {
      let isAnswered = false
      const answer = requests.runInAsyncScope(send).finally(() => {
        isAnswered = true
      })
      both.push(answer)
      while (!isAnswered && (await waiting(scratch)) <= i);
    }
    throw undone
  })
  await held.catch((error: unknown) => {
    if (error !== undone) throw error
  })
  const [one, two] = await Promise.all(both)
  if (one === undefined || two === undefined) throw new Error('two requests were sent')
  return [one, two]
}
