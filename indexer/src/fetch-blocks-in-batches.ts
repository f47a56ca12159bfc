import { Fetch1, Rpc } from '@subsquid/substrate-data-raw'

type Calls = Parameters<Rpc['batchCall']>[0]

/**
 * Makes the library ask for the blocks of the past as it does for the newest ones, ten at a time. By itself it would go
 * from child to parent, one block after the other.
 */
export function fetchBlocksInBatches(): void {
  const getOneByOne = Fetch1.prototype.getColdSplit
  Fetch1.prototype.getColdSplit = async function (from, to, request) {
    const blocks = typeof to === 'number' ? await this.getHotSplit(from, to, request) : []
    return blocks.at(-1)?.height === to ? blocks : getOneByOne.call(this, from, to, request)
  }
  // Ten answers can exceed the size of a message, one never does: when a batch gets no answer, each question is asked
  // alone.
  Rpc.prototype.batchCall = async function <T>(this: Rpc, calls: Calls, options?: Rpc['options']) {
    try {
      return await this.client.batchCall<T>(calls, { ...this.options, ...options, retryAttempts: 0 })
    } catch {
      return Promise.all(calls.map(({ method, params }) => this.call<T>(method, params, options)))
    }
  }
}
