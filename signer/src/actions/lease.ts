/**
 * Lets one signer of a database write, by an advisory lock and a sign of life. The lock ends with the connection
 * that holds it, but the connection of a process that is stopped or unreachable does not end: a holder that gives no
 * sign for as long as it promised to is cut off by the next one. The epoch keeps its late writes out.
 */
import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Db } from '../database.js'

/** "accredit" and "signer" in numbers: the advisory lock that one signer of a database holds. */
const lockId = [0x61636372, 0x7369676e] as const
const retryMs = 500

export interface Lease {
  /** Grows with every signer that ever held the database; writes carry it. */
  epoch: number
  release(): Promise<void>
}

export interface LeaseNeeds {
  db: Db
  pool: pg.Pool
  /** The name of this signer's connections. */
  name: string
  /** The time within which it gives three signs of life; silent for longer, it may be cut off. */
  holdMs: number
  log: FastifyBaseLogger
  /** Called when the lock is another signer's, or soon will be. */
  onLost(): void
}

/** Waits until no other signer holds the database. The lock lives in a connection of its own and ends with it. */
export async function takeLease({ db, pool, name, holdMs, log, onLost }: LeaseNeeds): Promise<Lease> {
  const connection = await pool.connect()
  let isReleased = false
  const lose = () => {
    if (!isReleased) onLost()
  }
  connection.on('error', lose).on('end', lose)
  await lock(connection, log)
  // The previous holder may have left writes open that hold locks which the next statements need.
  await connection.query(endConnections, [name])
  const { epoch } = await db
    .updateTable('lease')
    .set((row) => ({ epoch: row('epoch', '+', 1) }))
    .returning('epoch')
    .executeTakeFirstOrThrow()
  await connection.query(hold, [name, holdMs])
  const stopBeating = startBeating(connection, holdMs / 3, lose)
  return {
    epoch,
    async release() {
      isReleased = true
      stopBeating()
      connection.release(true)
    },
  }
}

const hold = `
  insert into signer.holder (name, hold_ms, seen_at) values ($1, $2, clock_timestamp())
  on conflict (only_one) do update set name = excluded.name, hold_ms = excluded.hold_ms, seen_at = excluded.seen_at`

function startBeating(connection: pg.PoolClient, everyMs: number, onSilent: () => void): () => void {
  let isBeating = false
  const beat = async () => {
    if (isBeating) return
    isBeating = true
    // A signer that waits for the lock counts from the previous sign, which is already one pause old.
    const limit = setTimeout(onSilent, 2 * everyMs)
    try {
      await connection.query('update signer.holder set seen_at = clock_timestamp()')
    } catch {
      // The connection gives the reason in its own event.
      onSilent()
    }
    clearTimeout(limit)
    isBeating = false
  }
  const timer = setInterval(() => void beat(), everyMs)
  return () => clearInterval(timer)
}

async function lock(connection: pg.PoolClient, log: FastifyBaseLogger): Promise<void> {
  const isSilent = silenceWatch(() => performance.now())
  for (let attempt = 0; !(await tryLock(connection)); attempt += 1) {
    if (attempt === 0) log.warn('Another signer holds this database; waiting for it to end.')
    const { rows } = await connection.query<Sign>(lastSign, [...lockId])
    if (isSilent(rows[0])) {
      log.warn({ seen: rows[0]?.seen }, 'The signer that holds this database gives no sign of life: it is cut off.')
      await connection.query(endConnections, [''])
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}

/** Takes the lock for this connection, with which it ends, and tells whether that succeeded. */
export async function tryLock(connection: pg.PoolClient): Promise<boolean> {
  const text = 'select pg_try_advisory_lock($1, $2) as held'
  const { rows } = await connection.query<{ held: boolean }>(text, [...lockId])
  return rows[0]?.held === true
}

interface Sign {
  name: string
  seen: string
  hold_ms: number
}

/**
 * The latest sign of the holder of the lock, if that is a signer: a rotation of the master key gives none and is waited
 * for.
 */
const lastSign = `
  select holder.name, holder.seen_at::text as seen, holder.hold_ms
  from pg_locks join pg_stat_activity using (pid) join signer.holder on holder.name = application_name
  where locktype = 'advisory' and granted and classid = $1 and objid = $2 and objsubid = 2
    and pg_locks.database = (select oid from pg_database where datname = current_database())`

const endConnections = `
  select pg_terminate_backend(pid) from pg_stat_activity join signer.holder on holder.name = application_name
  where holder.name <> $1`

/**
 * The time is measured by this process's own clock, from when it first saw a sign: those of other machines may differ.
 */
export function silenceWatch(now: () => number): (sign: Sign | undefined) => boolean {
  let last: { sign: string; at: number } | undefined
  return (sign) => {
    if (sign === undefined) {
      last = undefined
      return false
    }
    const current = `${sign.name} ${sign.seen}`
    if (last?.sign !== current) last = { sign: current, at: now() }
    return now() - last.at >= sign.hold_ms
  }
}
