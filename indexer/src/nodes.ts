import { log } from './log'
import { Node } from './node'

/** A node of the wanted ledger, and the height of its final head. */
export interface KnownNode {
  url: string
  height: number
}

const RETRY_MS = 500

/** The nodes of one ledger: a node that has another genesis is told once, and never read. */
export class Nodes {
  private readonly foreign = new Map<string, string>()

  /** @param genesisHash that of the ledger that is wanted; undefined: the one of the first node that answers */
  constructor(
    private readonly urls: readonly string[],
    private genesisHash: string | undefined,
  ) {}

  get areSeveral(): boolean {
    return this.urls.length > 1
  }

  /**
   * Returns the node that knows the newest final block, the first of several; undefined while none answers.
   *
   * @throws when every node answered, and all of them have another ledger
   */
  async newest(): Promise<KnownNode | undefined> {
    const seen = await Promise.all(this.urls.map((url) => look(url)))
    const there = seen.filter((node) => node !== undefined)
    const [first] = there
    this.genesisHash ??= first?.genesisHash
    const [best] = there.filter((node) => this.isOurs(node)).sort((one, other) => other.height - one.height)
    const sentences = [...this.foreign.values()]
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

  private isOurs({ url, genesisHash }: SeenNode): boolean {
    if (genesisHash === this.genesisHash) {
      this.foreign.delete(url)
      return true
    }
    const sentence = `The index belongs to ledger ${this.genesisHash}, and the node at ${hostOf(url)} has ${genesisHash}.`
    if (!this.foreign.has(url)) log.error(sentence)
    this.foreign.set(url, sentence)
    return false
  }
}

interface SeenNode extends KnownNode {
  genesisHash: string
}

async function look(url: string): Promise<SeenNode | undefined> {
  const node = new Node(url)
  try {
    const genesisHash = await node.hashAt(0)
    if (genesisHash === undefined) return undefined
    return { url, genesisHash, height: (await node.finalizedHead()).height }
  } catch {
    // A node that does not answer is asked again; readers see meanwhile that none is heard.
    return undefined
  }
}

/** The path of a node's address may be a secret. */
export const hostOf = (url: string): string => new URL(url).host
