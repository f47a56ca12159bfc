export interface Head {
  height: number
  hash: string
}

const TIMEOUT_MS = 10_000

/** The shortest entry that is read of a state: `:heappages`, which most have not. */
const HEAP_PAGES = '0x3a686561707061676573'

/** The node answered, and what it answered is an error. */
class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal'
}

/** Asks the node what the follower needs, over HTTP on the port that also speaks WebSocket. */
export class Node {
  private readonly url: string

  constructor(ledgerUrl: string) {
    this.url = ledgerUrl.replace(/^ws/, 'http')
  }

  async finalizedHead(): Promise<Head> {
    const hash = textOf(await this.call('chain_getFinalizedHead'))
    return { hash, height: heightOf(await this.call('chain_getHeader', hash)) }
  }

  /** The hash of a block of the node's own chain; undefined where that is shorter. */
  async hashAt(height: number): Promise<string | undefined> {
    const hash = await this.call('chain_getBlockHash', height)
    return hash === null ? undefined : textOf(hash)
  }

  /** Tells whether the node has a block and the state after it: a pruned node has discarded them. */
  async keeps(hash: string): Promise<boolean> {
    try {
      await this.call('state_getStorage', HEAP_PAGES, hash)
      return (await this.call('chain_getBlock', hash)) !== null
    } catch (error) {
      if (error instanceof NodeRefusal) return false
      throw error
    }
  }

  async bestHeight(): Promise<number> {
    return heightOf(await this.call('chain_getHeader'))
  }

  private async call(method: string, ...params: (string | number)[]): Promise<unknown> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const answer: unknown = await response.json()
    if (isObject(answer) && 'result' in answer) return answer.result
    throw new NodeRefusal(`${method}: ${JSON.stringify(answer)}`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw new Error('the node answered without a hash')
}

function heightOf(header: unknown): number {
  const number = isObject(header) ? header.number : undefined
  const height = typeof number === 'string' ? Number(number) : Number.NaN
  if (Number.isSafeInteger(height)) return height
  throw new Error('the node answered without a block number')
}
