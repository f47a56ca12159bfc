import { discardedBlock } from '@accredit/process/discarded-block'

export interface Head {
  height: number
  hash: string
}

const TIMEOUT_MS = 10_000

/** The node answered, and what it answered is an error. */
class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal'
}

/** Asks the node what the follower needs, over HTTP on the port that also speaks WebSocket. */
export class Node {
  private readonly url: string

  constructor(
    ledgerUrl: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
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

  /** Returns the block that is still to be read and that the node has discarded; undefined: it has all of them. */
  discardedBlock(newestRead: number): Promise<number | undefined> {
    const call = (method: string, params: unknown[]) => this.call(method, ...params)
    return discardedBlock({ call, isRefusal: (error) => error instanceof NodeRefusal }, newestRead)
  }

  async bestHeight(): Promise<number> {
    return heightOf(await this.call('chain_getHeader'))
  }

  private async call(method: string, ...params: unknown[]): Promise<unknown> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(this.timeoutMs),
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
