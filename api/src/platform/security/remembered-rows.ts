import { LRUCache } from 'lru-cache'
import { batchLoader } from '../process/batch-loader.js'
import { BRIEFLY_MS } from '../process/brief-memory.js'

/** A secret that was asked for in this time is looked up again together with the others. */
const IN_USE_MS = 10_000
/** The secrets of a statement. */
const AT_ONCE = 500

interface Remembered<Row> {
  hash: Buffer
  row: Row
  /** Times of `performance.now()`. */
  lookedUp: number
  used: number
}

/** Finds rows by the hashes of secrets. */
type LookUp<Row> = (hashes: Buffer[]) => Promise<(Row | undefined)[]>

/**
 * Remembers the rows of secrets for at most a second, counted from when they were looked up. As soon as one is over, all
 * that are in use are looked up with it in one statement: however many there are, a check costs next to nothing. An
 * unknown secret is not remembered.
 */
export class RememberedRows<Row extends object> {
  readonly #known: LRUCache<string, Remembered<Row>>
  readonly #load: (hash: Buffer) => Promise<Row | undefined>
  readonly #running = new Map<string, { asked: Promise<Row | undefined>; since: number }>()
  #renewed = Number.NEGATIVE_INFINITY

  /** @param most the rows that are remembered; beyond it those that nobody used for longest are forgotten */
  constructor(lookUp: LookUp<Row>, most: number) {
    this.#known = new LRUCache({ max: most })
    this.#load = batchLoader<Buffer, Row | undefined>(lookUp, { running: 2, most: AT_ONCE, waiting: 100_000 })
  }

  async find(hash: Buffer): Promise<Row | undefined> {
    const id = hash.toString('base64')
    const now = performance.now()
    const known = this.#known.get(id)
    if (known !== undefined) {
      known.used = now
      if (now - known.lookedUp < BRIEFLY_MS) return known.row
    }
    const asked = this.#lookUp(id, hash, now)
    if (known !== undefined) this.#renew(now)
    return asked
  }

  /** Looks up all that are in use and were not looked up lately. */
  #renew(now: number): void {
    if (now - this.#renewed < BRIEFLY_MS / 2) return
    this.#renewed = now
    for (const [id, { hash, lookedUp, used }] of this.#known.entries())
      if (now - used < IN_USE_MS && now - lookedUp > BRIEFLY_MS / 2)
        // Those who ask for it are told of the error.
        this.#lookUp(id, hash, now).catch(() => undefined)
  }

  /** Shares what runs already, unless that is too old to be remembered. */
  #lookUp(id: string, hash: Buffer, now: number): Promise<Row | undefined> {
    const running = this.#running.get(id)
    if (running !== undefined && now - running.since < BRIEFLY_MS) return running.asked
    const asked = this.#load(hash)
      .then((row) => {
        const used = this.#known.peek(id)?.used ?? now
        if (row === undefined) this.#known.delete(id)
        else this.#known.set(id, { hash, row, lookedUp: now, used })
        return row
      })
      .finally(() => {
        if (this.#running.get(id)?.asked === asked) this.#running.delete(id)
      })
    this.#running.set(id, { asked, since: now })
    return asked
  }
}
