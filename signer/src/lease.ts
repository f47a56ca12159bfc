import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Db } from './database.js'

/** "accredit" and "signer" in numbers: the advisory lock that one signer of a database holds. */
const lockId = [0x61636372, 0x7369676e] as const
const retryMs = 500

export interface Lease {
  /** Grows with every signer that ever held the database; writes carry it. */
  epoch: number
  release(): Promise<void>
}

/**
 * Waits until no other signer holds the database. The lock lives in a connection of its own and ends with it;
 * `onLost` is told, and from then on the epoch keeps this signer's late writes out.
 */
export async function takeLease(db: Db, pool: pg.Pool, log: FastifyBaseLogger, onLost: () => void): Promise<Lease> {
  const connection = await pool.connect()
  let isReleased = false
  connection.on('error', () => {
    if (!isReleased) onLost()
  })
  await lock(connection, log)
  const { epoch } = await db
    .updateTable('lease')
    .set((row) => ({ epoch: row('epoch', '+', 1) }))
    .returning('epoch')
    .executeTakeFirstOrThrow()
  return {
    epoch,
    async release() {
      isReleased = true
      connection.release(true)
    },
  }
}

async function lock(connection: pg.PoolClient, log: FastifyBaseLogger): Promise<void> {
  for (let attempt = 0; !(await tryLock(connection)); attempt += 1) {
    if (attempt === 0) log.warn('Another signer holds this database; waiting for it to end.')
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}

/** Whether the lock is now this connection's; it ends with it. */
export async function tryLock(connection: pg.PoolClient): Promise<boolean> {
  const text = 'select pg_try_advisory_lock($1, $2) as held'
  const { rows } = await connection.query<{ held: boolean }>(text, [...lockId])
  return rows[0]?.held === true
}
