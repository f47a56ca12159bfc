import { sql } from 'kysely'
import type { Database } from '../database/database.js'

/** The last use of a key is known this late at most. */
const FLUSH_MS = 60_000

/** The most keys that are remembered between two statements. */
const MOST = 10_000

/** Remembers when keys were used, and stores it in one statement a minute: a request writes nothing. */
export class LastUse {
  readonly #db: Pick<Database, 'call'>
  readonly #timer: NodeJS.Timeout
  #used = new Map<number, Date>()

  constructor(db: Pick<Database, 'call'>) {
    this.#db = db
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref()
  }

  note(keyId: number, now: Date): void {
    this.#used.set(keyId, now)
    if (this.#used.size >= MOST) void this.flush()
  }

  /** Uses that cannot be stored are noted again with the next: the key was checked against the same database. */
  async flush(): Promise<void> {
    const used = [...this.#used]
    this.#used = new Map()
    if (used.length === 0) return
    const [ids, times] = [used.map(([id]) => id), used.map(([, time]) => time)]
    await this.#db
      .call(sql`update service.api_keys k set last_used = u.at from unnest(${ids}::bigint[], ${times}::timestamptz[]) as u (id, at)
        where k.id = u.id and (k.last_used is null or k.last_used < u.at)`)
      .catch(() => {
        for (const [id, time] of used) if (!this.#used.has(id)) this.#used.set(id, time)
      })
  }

  close(): Promise<void> {
    clearInterval(this.#timer)
    return this.flush()
  }
}
