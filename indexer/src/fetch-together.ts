import { Fetch1, Rpc } from '@subsquid/substrate-data-raw'

type Calls = Parameters<Rpc['batchCall']>[0]

/**
 * The library asks for the blocks of the past one after the other, from child to parent, and for the newest ones ten at
 * a time: this makes it ask for all of them as for the newest, whatever they hold.
 */
export function fetchTogether(): void {
  const oneAfterTheOther = Fetch1.prototype.getColdSplit
  Fetch1.prototype.getColdSplit = async function (from, to, request) {
    const blocks = typeof to === 'number' ? await this.getHotSplit(from, to, request) : []
    return blocks.at(-1)?.height === to ? blocks : oneAfterTheOther.call(this, from, to, request)
  }
  // Ten answers can be more than a message holds, one never is: what is not answered together is asked for one by one.
  Rpc.prototype.batchCall = async function <T>(this: Rpc, calls: Calls, options?: Rpc['options']) {
    try {
      return await this.client.batchCall<T>(calls, { ...this.options, ...options, retryAttempts: 0 })
    } catch {
      return Promise.all(calls.map(({ method, params }) => this.call<T>(method, params, options)))
    }
  }
}
