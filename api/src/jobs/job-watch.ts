import { type Loop, startLoop } from '@accredit/process/loop'
import { type Listener, listen } from '../ledger/write/listen.js'
import type { TeamId } from '../platform/database/ids.js'
import { ApiError } from '../platform/errors.js'
import type { Environment } from '../platform/http/context.js'
import { type JobState, jobStates } from './job.store.js'

/** The channel on which the database tells of changed jobs. */
const CHANNEL = 'service_jobs'
/** Notifications are hints: all that is watched is looked up so often without one. */
const LOOK_MS = 2000
/** The watches of a process, and of a team. */
const MOST = { all: 1024, team: 32 }

type Services = Pick<Environment, 'db' | 'config' | 'log'>

interface Watch {
  id: string
  team: TeamId
  tell: (state: JobState | undefined) => void
}

const ofProcess = new WeakMap<Environment['db'], JobWatch>()

/** Returns the watch of this process. */
export function jobWatchOf(services: Services): JobWatch {
  const known = ofProcess.get(services.db)
  if (known) return known
  const made = new JobWatch(services)
  ofProcess.set(services.db, made)
  return made
}

/**
 * Tells of the states of jobs as they change, whichever process changes them: one connection that listens, and one
 * statement for all that is watched. While nothing is watched there is neither.
 */
class JobWatch {
  private readonly watches = new Set<Watch>()
  private running: { ear: Listener; loop: Loop } | undefined

  constructor(private readonly services: Services) {}

  /**
   * Calls `tell` with the state of a job soon, and whenever it may have changed; with undefined when it is gone, or this
   * process ends.
   *
   * @returns a function that ends it
   * @throws 429 where the team, or all, watch too many
   */
  watch(watch: Watch): () => void {
    const ofTeam = [...this.watches].filter(({ team }) => team === watch.team).length
    if (ofTeam >= MOST.team || this.watches.size >= MOST.all)
      throw new ApiError('rate_limited', 'Too many jobs are watched at once', { headers: { 'Retry-After': '5' } })
    this.watches.add(watch)
    this.start().wake()
    return () => {
      this.watches.delete(watch)
      if (this.watches.size === 0) void this.stop()
    }
  }

  /** Ends all watches. */
  async close(): Promise<void> {
    for (const { tell } of this.watches) tell(undefined)
    this.watches.clear()
    await this.stop()
  }

  private start(): Loop {
    if (this.running) return this.running.loop
    const { config, log } = this.services
    const onError = (error: unknown): void => log.warn({ err: error }, 'watched jobs could not be looked up')
    const loop = startLoop(() => this.look(), { onError, everyMs: LOOK_MS })
    const ear = listen(config.database.systemUrl, [CHANNEL], () => loop.wake(), log)
    this.running = { ear, loop }
    return loop
  }

  private async stop(): Promise<void> {
    const { running } = this
    this.running = undefined
    await Promise.all([running?.loop.stop(), running?.ear.close()])
  }

  private async look(): Promise<boolean> {
    const watched = [...this.watches]
    if (watched.length === 0) return false
    const ids = [...new Set(watched.map(({ id }) => id))]
    const states = await this.services.db.read('system', (reader) => jobStates(reader, ids))
    const byId = new Map(states.map((state) => [state.id, state]))
    for (const { id, tell } of watched) tell(byId.get(id))
    return false
  }
}
