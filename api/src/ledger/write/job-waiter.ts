import { anyOf } from '../../platform/database/any-of.js'
import type { Database } from '../../platform/database/database.js'
import type { JobStatus, JsonObject } from '../../platform/database/tables.js'

interface EndedJob {
  id: string
  status: JobStatus
  result: JsonObject
}

type Resolve = (job: EndedJob) => void

const POLL_MS = 20
const waiters = new WeakMap<Database, JobWaiter>()

/** One query serves all waiting requests of this process, whatever their number. */
class JobWaiter {
  private readonly waiting = new Map<string, Set<Resolve>>()
  private isPolling = false

  constructor(private readonly db: Database) {}

  /** Returns the job when it has ended, or undefined when it has not within `ms`. */
  wait(jobId: string, ms: number): Promise<EndedJob | undefined> {
    return new Promise((resolve) => {
      const done: Resolve = (job) => finish(job)
      const finish = (job: EndedJob | undefined): void => {
        clearTimeout(timer)
        this.waiting.get(jobId)?.delete(done)
        if (this.waiting.get(jobId)?.size === 0) this.waiting.delete(jobId)
        resolve(job)
      }
      const timer = setTimeout(() => finish(undefined), ms)
      this.waiting.set(jobId, (this.waiting.get(jobId) ?? new Set()).add(done))
      if (!this.isPolling) void this.poll()
    })
  }

  private async poll(): Promise<void> {
    this.isPolling = true
    while (this.waiting.size > 0) {
      const ended = await this.ended().catch(() => [])
      for (const job of ended) for (const done of [...(this.waiting.get(job.id) ?? [])]) done(job)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    this.isPolling = false
  }

  private ended(): Promise<EndedJob[]> {
    return this.db.read('system', (reader) =>
      reader
        .selectFrom('jobs')
        .select(['id', 'status', 'result'])
        .where('id', '=', anyOf([...this.waiting.keys()]))
        .where('status', 'in', ['finalized', 'error'])
        .execute(),
    )
  }
}

export function jobWaiter(db: Database): JobWaiter {
  const known = waiters.get(db)
  if (known) return known
  const made = new JobWaiter(db)
  waiters.set(db, made)
  return made
}
