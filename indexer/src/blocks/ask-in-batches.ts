import { Rpc } from '@subsquid/substrate-data-raw'

type Calls = Parameters<Rpc['batchCall']>[0]

const HASH = 'chain_getBlockHash'

/** Makes the library ask for the hashes of several blocks by one question, and do without batches that get no answer. */
export function askInBatches(): void {
  Rpc.prototype.batchCall = async function <T>(this: Rpc, calls: Calls, options?: Rpc['options']) {
    if (calls.length > 1 && calls.every(({ method }) => method === HASH))
      return this.call<T[]>(HASH, [calls.map(({ params }) => params?.[0])])
    // Many answers can exceed the size of a message, one never does: when a batch gets no answer, each question is
    // asked alone.
    try {
      return await this.client.batchCall<T>(calls, { ...this.options, ...options, retryAttempts: 0 })
    } catch {
      return Promise.all(calls.map(({ method, params }) => this.call<T>(method, params, options)))
    }
  }
}
