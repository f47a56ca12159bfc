import { hasDiscarded } from '@accredit/process/discarded-block'
import { log } from './log'
import { Node } from './node'

/** A node of the wanted ledger, and the height of its final head. */
export interface KnownNode {
  url: string
  height: number
}

const RETRY_MS = 500
/** The others wait for a node that takes connections and answers nothing; when all are slow, each has its whole time. */
const LOOK_MS = 3_000

/**
 * The nodes of one ledger: a node that has another genesis, or has discarded what is read next, is told once, and not
 * read.
 */
export class Nodes {
  private readonly refused = new Map<string, string>()

  /**
   * @param genesisHash that of the ledger that is wanted; undefined: the one of the first node that answers
   * @param newestRead tells the height of the newest block that is read, or 0
   */
  constructor(
    private readonly urls: readonly string[],
    private genesisHash: string | undefined,
    private readonly newestRead: () => Promise<number> = async () => 0,
  ) {}

  get areSeveral(): boolean {
    return this.urls.length > 1
  }

  /**
   * Returns the node that knows the newest final block, of several the preferred one or else the first; undefined while
   * none answers.
   *
   * @throws when every node answered, and none of them can be read
   */
  async newest(preferred?: string): Promise<KnownNode | undefined> {
    const newestRead = await this.newestRead()
    const soon = await this.seen(newestRead, LOOK_MS)
    const there = soon.length > 0 ? soon : await this.seen(newestRead)
    const [first] = there
    this.genesisHash ??= first?.genesisHash
    const good = there.filter((node) => this.isGood(node)).sort((one, other) => other.height - one.height)
    const best = good.find(({ url, height }) => url === preferred && height === good[0]?.height) ?? good[0]
    const sentences = [...this.refused.values()]
    if (best === undefined && sentences.length === this.urls.length) throw new Error(sentences.join(' '))
    return best
  }

  /** Waits until a node of the wanted ledger answers. */
  async whenThere(): Promise<KnownNode> {
    for (;;) {
      const node = await this.newest()
      if (node !== undefined) return node
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  /** Returns the nodes that answer in time. */
  private async seen(newestRead: number, withinMs?: number): Promise<SeenNode[]> {
    const seen = await Promise.all(this.urls.map((url) => look(url, newestRead, withinMs)))
    return seen.filter((node) => node !== undefined)
  }

  private isGood(node: SeenNode): boolean {
    const sentence = this.reasonAgainst(node)
    if (sentence === undefined) {
      this.refused.delete(node.url)
      return true
    }
    if (this.refused.get(node.url) !== sentence) log.error(sentence)
    this.refused.set(node.url, sentence)
    return false
  }

  private reasonAgainst({ url, genesisHash, discarded }: SeenNode): string | undefined {
    if (genesisHash !== this.genesisHash)
      return `The index belongs to ledger ${this.genesisHash}, and the node at ${hostOf(url)} has ${genesisHash}.`
    if (discarded !== undefined) return `The node at ${hostOf(url)} ${hasDiscarded(discarded, 'index')}`
    return undefined
  }
}

interface SeenNode extends KnownNode {
  genesisHash: string
  /** The block that is still to be read, where the node does not have it any more. */
  discarded: number | undefined
}

async function look(url: string, newestRead: number, withinMs?: number): Promise<SeenNode | undefined> {
  const node = new Node(url, withinMs)
  try {
    const genesisHash = await node.hashAt(0)
    if (genesisHash === undefined) return undefined
    const { height } = await node.finalizedHead()
    return { url, genesisHash, height, discarded: await node.discardedBlock(newestRead) }
  } catch {
    // A node that does not answer is asked again; readers see meanwhile that none is heard.
    return undefined
  }
}

/** The path of a node's address may be a secret. */
export const hostOf = (url: string): string => new URL(url).host
