import { hostOf, type Nodes } from './nodes'

/** The time without news of a node after which the others are asked, and the time between two such questions. */
const PATIENCE_MS = 15_000

/**
 * Notices that the node that is read stands still, or is gone, while another one knows more. The processor cannot leave
 * its node: the process ends, and reads the better one when it is started again.
 */
export class NodeWatch {
  private height = -1
  private movedAt = performance.now()
  private askedAt = performance.now()

  /** @param leave ends the process */
  constructor(
    private readonly url: string,
    private readonly nodes: Pick<Nodes, 'areSeveral' | 'newest'>,
    private readonly leave: (reason: string) => void,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** Called with the height of the final head, each time that the node tells it. */
  async heard(height: number): Promise<void> {
    if (height > this.height) {
      this.height = height
      this.movedAt = performance.now()
      return
    }
    const better = await this.newest()
    if (better !== undefined && better.height > this.height)
      this.leave(
        `The node at ${hostOf(this.url)} stands still at block ${this.height}: ${hostOf(better.url)} is ahead.`,
      )
  }

  /** Called each time that the node does not answer. */
  async unheard(): Promise<void> {
    const other = await this.newest()
    if (other !== undefined && other.height >= this.height && other.url !== this.url)
      this.leave(`The node at ${hostOf(this.url)} does not answer: ${hostOf(other.url)} does.`)
  }

  /** Returns the best of the nodes, once in a while, after a while without news of the own one. */
  private async newest() {
    const now = performance.now()
    if (!this.nodes.areSeveral || Math.min(now - this.movedAt, now - this.askedAt) < this.patienceMs) return undefined
    this.askedAt = now
    return this.nodes.newest()
  }
}
