import type { Store } from '@subsquid/typeorm-store'
import type { Client } from 'pg'
import type { Config } from './config'
import { Finality } from './model'
import type { Head, Node } from './node'
import type { NodeWatch } from './node-watch'

const ID = 'final'
const POLL_MS = 1_000
const IMPATIENT_MS = 50
/** While nothing changes the node is noted as heard at this interval. Readers count it as heard for five seconds. */
const HEARD_MS = 2_000

/**
 * $1 and $2 are the height and hash of the head that the node tells, $3 the rule by which it is final, and $4 and $5 a
 * block of the node's final chain that the index may have. A head that is older than the one known never replaces it:
 * polls and batches cross. Nor does an older block replace the settled one, unless the index does not have that one
 * any more.
 */
const WRITE = `
  INSERT INTO finality AS known (id, height, hash, rule, seen_at, behind_since, settled_height, settled_hash)
  SELECT '${ID}', $1, $2, $3, now(), CASE WHEN NOT EXISTS (SELECT FROM block WHERE height = $1 AND hash = $2) THEN now() END,
    settled.height, settled.hash
  FROM (VALUES (1)) AS one LEFT JOIN block AS settled ON settled.height = $4 AND settled.hash = $5
  ON CONFLICT (id) DO UPDATE SET
    height = greatest(known.height, excluded.height),
    hash = CASE WHEN excluded.height >= known.height THEN excluded.hash ELSE known.hash END,
    rule = excluded.rule,
    seen_at = now(),
    behind_since = CASE WHEN NOT EXISTS (SELECT FROM block WHERE (block.height, block.hash) = (greatest(known.height, excluded.height),
        CASE WHEN excluded.height >= known.height THEN excluded.hash ELSE known.hash END))
      THEN coalesce(known.behind_since, now()) END,
    (settled_height, settled_hash) = (SELECT
        CASE WHEN is_kept THEN known.settled_height ELSE excluded.settled_height END,
        CASE WHEN is_kept THEN known.settled_hash ELSE excluded.settled_hash END
      FROM (SELECT excluded.settled_height IS NULL OR EXISTS (SELECT FROM block
        WHERE (block.height, block.hash) = (known.settled_height, known.settled_hash)
          AND block.height > excluded.settled_height)) AS judged (is_kept))
  RETURNING height, behind_since IS NOT NULL AS "isBehind"`

const NOTE_HEARD = `UPDATE finality SET seen_at = now() WHERE id = '${ID}'`

/** The row as this process wrote it last, and when. */
interface Written {
  height: number
  isBehind: boolean
  at: number
}

/**
 * Writes the final point: the node's finalised head, when the node was last heard, since when a final block waits to be
 * indexed, and the newest block that is indexed with the hash that is final. On a chain of instant finality a batch
 * writes it in its own transaction, and no reader waits for a poll.
 */
export class FinalityFollower {
  private newest: Head = { height: -1, hash: '0x' }
  private written: Written = { height: -1, isBehind: true, at: Number.NEGATIVE_INFINITY }

  constructor(
    private readonly node: Node,
    private readonly client: Client,
    private readonly indexedHeight: () => number,
    private readonly rule: Config['finality'],
    private readonly watch?: Pick<NodeWatch, 'heard' | 'unheard'>,
  ) {}

  /** Called before blocks are read: an index that is behind a known head stays so until it has that one. */
  async recall(): Promise<void> {
    const { rows } = await this.client.query<Head>('SELECT height, hash FROM finality WHERE behind_since IS NOT NULL')
    const [heard] = rows
    if (heard !== undefined) this.newest = heard
  }

  /** Follows for ever; `ready` is called once, when the head of the start is indexed. */
  async follow(ready: (height: number) => void): Promise<never> {
    const start = await this.start()
    this.untilIndexed(start).then(ready)
    for (;;) {
      await pause(POLL_MS)
      await this.hear()
    }
  }

  /** Writes the head of a batch, on chains where a block is final when it is made. */
  async indexed(store: Store, { height, hash }: Head): Promise<void> {
    if (height < this.newest.height) return
    this.newest = { height, hash }
    const settled = { settledHeight: height, settledHash: hash }
    const heard = { seenAt: new Date(), behindSince: null }
    await store.upsert(new Finality({ id: ID, height, hash, rule: this.rule, ...heard, ...settled }))
  }

  /** Resolves with the first head that the node tells. */
  private async start(): Promise<number> {
    for (;;) {
      const heard = await this.hear()
      if (heard !== undefined) return heard.best
      await pause(IMPATIENT_MS)
    }
  }

  private async untilIndexed(height: number): Promise<number> {
    while (this.indexedHeight() < height) await pause(IMPATIENT_MS)
    return this.indexedHeight()
  }

  private async hear(): Promise<{ best: number } | undefined> {
    let final: Head
    let best: number
    let settled: Head | undefined
    try {
      final = await this.node.finalizedHead()
      best = await this.node.bestHeight()
      settled = await this.finalAndIndexed(final)
    } catch {
      // The processor reports and retries; readers see by seen_at that no node is heard.
      await this.watch?.unheard()
      return undefined
    }
    if (final.height > this.newest.height) this.newest = final
    await this.watch?.heard(final.height)
    if (final.height > this.written.height || this.written.isBehind) await this.write(final, settled)
    else if (performance.now() - this.written.at >= HEARD_MS) await this.noteHeard()
    return { best }
  }

  /** The newest block of the node's final chain that the index may have, at the height of the index at most. */
  private async finalAndIndexed(final: Head): Promise<Head | undefined> {
    const height = this.indexedHeight()
    if (height >= final.height) return final
    const hash = height < 0 ? undefined : await this.node.hashAt(height)
    return hash === undefined ? undefined : { height, hash }
  }

  private async noteHeard(): Promise<void> {
    await this.client.query(NOTE_HEARD)
    this.written.at = performance.now()
  }

  /** Waits for a batch that is being committed: the index itself tells whether it is behind. */
  private async write({ height, hash }: Head, settled: Head | undefined): Promise<void> {
    await this.client.query('BEGIN')
    await this.client.query('LOCK TABLE finality IN SHARE ROW EXCLUSIVE MODE')
    const { rows } = await this.client.query<Omit<Written, 'at'>>(WRITE, [
      height,
      hash,
      this.rule,
      settled?.height,
      settled?.hash,
    ])
    await this.client.query('COMMIT')
    const [row] = rows
    if (row !== undefined) this.written = { ...row, at: performance.now() }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
