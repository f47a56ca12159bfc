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
  /** True where another node was ahead when the others were asked last. */
  private isBehind = false

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
      this.isBehind = false
      return
    }
    const better = await this.newest()
    const wasBehind = this.isBehind
    this.isBehind = better !== undefined && better.url !== this.url && better.height > this.height
    // After a pause of the whole network one node is ahead for a moment: it has to be so at the next question too.
    if (better !== undefined && this.isBehind && wasBehind)
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
    const patience = this.isBehind ? 0 : this.patienceMs
    if (!this.nodes.areSeveral || Math.min(now - this.movedAt, now - this.askedAt) < patience) return undefined
    this.askedAt = now
    return this.nodes.newest(this.url)
  }
}
