import { setTimeout as pause } from 'node:timers/promises'
import { type Loop, startLoop } from '@accredit/process/loop'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { type Listener, listen } from '../../platform/database/listen.js'
import type { JobStatus, JsonObject } from '../../platform/database/tables.js'
import { ApiError } from '../../platform/errors.js'
import type { Environment } from '../../platform/http/context.js'
import { oneOfEach } from '../../platform/process/one-of-each.js'

/** The channel on which the database tells of changed jobs. */
const CHANNEL = 'service_jobs'
/** Notifications are hints: all that is watched is looked up so often without one. */
const LOOK_MS = 2000
/** Notices within it share a look. */
const APART_MS = 10
/** The followers of a process, and of a team. */
const MOST = { all: 1024, team: 32 }

export interface WatchedJob {
  id: string
  status: JobStatus
  result: JsonObject
  /** Grows with each change. */
  version: string
}

interface Watch {
  id: string
  /** The team that follows it; undefined: a request that waits for its end. */
  team?: TeamId
  tell: (job: WatchedJob | undefined) => void
}

/**
 * Tells of jobs as they change, whichever process changes them: one connection that listens, from the first watch on,
 * and one statement for all that is watched.
 */
class JobWatch {
  private readonly watches = new Set<Watch>()
  private running: { ear: Listener; loop: Loop } | undefined

  /** @param url of the database, for the connection that listens */
  constructor(
    private readonly db: Database,
    private readonly url: string,
    private readonly log: Logger,
  ) {}

  /**
   * Calls `tell` with a job soon, and whenever it may have changed; with undefined when it is gone, or this process ends.
   *
   * @returns a function that ends it
   * @throws 429 where the team, or all, follow too many
   */
  follow(following: Required<Watch>): () => void {
    const followers = [...this.watches].filter(({ team }) => team !== undefined)
    const ofTeam = followers.filter(({ team }) => team === following.team).length
    if (ofTeam >= MOST.team || followers.length >= MOST.all)
      throw new ApiError('rate_limited', 'Too many jobs are watched at once', { headers: { 'Retry-After': '5' } })
    return this.watch(following)
  }

  /** Returns a job when it has ended; undefined when it has not within `ms`, is gone, or this process ends. */
  async ended(id: string, ms: number): Promise<WatchedJob | undefined> {
    // A dry run waits for nothing, and its database would get a watch of its own that nobody closes.
    if (ms <= 0) return undefined
    return new Promise((resolve) => {
      const finish = (job: WatchedJob | undefined): void => {
        clearTimeout(timer)
        stop()
        resolve(job)
      }
      const timer = setTimeout(() => finish(undefined), ms)
      const stop = this.watch({
        id,
        tell(job) {
          if (job === undefined || job.status === 'finalized' || job.status === 'error') finish(job)
        },
      })
    })
  }

  /** Ends the watches of those who follow jobs. */
  endFollowing(): void {
    this.end([...this.watches].filter(({ team }) => team !== undefined))
  }

  /** Ends all watches. */
  async close(): Promise<void> {
    const { running } = this
    this.running = undefined
    this.end([...this.watches])
    await Promise.all([running?.loop.stop(), running?.ear.close()])
  }

  private end(watches: readonly Watch[]): void {
    for (const watch of watches) {
      this.watches.delete(watch)
      watch.tell(undefined)
    }
  }

  private watch(watch: Watch): () => void {
    this.watches.add(watch)
    this.start().wake()
    return () => void this.watches.delete(watch)
  }

  private start(): Loop {
    if (this.running) return this.running.loop
    const { url, log } = this
    const onError = (error: unknown): void => log.warn({ err: error }, 'watched jobs could not be looked up')
    const loop = startLoop(() => this.look(), { onError, everyMs: LOOK_MS })
    const ear = listen(url, [CHANNEL], () => loop.wake(), log)
    this.running = { ear, loop }
    return loop
  }

  private async look(): Promise<boolean> {
    const watched = [...this.watches]
    if (watched.length === 0) return false
    const ids = [...new Set(watched.map(({ id }) => id))]
    const followed = watched.flatMap(({ id, team }) => (team === undefined ? [] : [id]))
    const jobs = await this.db.read('system', (reader) => watchedJobs(reader, ids, followed))
    const byId = new Map(jobs.map((job) => [job.id, job]))
    for (const watch of watched) if (this.watches.has(watch)) watch.tell(byId.get(watch.id))
    await pause(APART_MS)
    return false
  }
}

const watchOf = oneOfEach(
  (db: Database, { config, log }: Pick<Environment, 'config' | 'log'>) =>
    new JobWatch(db, config.database.systemUrl, log),
)

/** Returns the watch of this process. It keeps the log of who asks first: each process asks with its environment. */
export const jobWatchOf = (services: Pick<Environment, 'db' | 'config' | 'log'>): JobWatch =>
  watchOf(services.db, services)

/**
 * Returns the jobs among these that there are, as they are now; asked as the system. Results so far, which may be large,
 * are read of those alone that somebody follows.
 */
async function watchedJobs(reader: Reader, ids: readonly string[], followed: readonly string[]): Promise<WatchedJob[]> {
  const { rows } = await sql<WatchedJob>`
    select j.id, j.status,
      case when j.status in ('finalized', 'error') or j.id = any(${[...followed]}::text[]) then j.result else '{}' end as result,
      (extract(epoch from j.updated) * 1000000)::bigint::text as version
    from service.jobs j where j.id = any(${[...ids]}::text[])`.execute(reader)
  return rows
}
