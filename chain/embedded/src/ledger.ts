import { Producer, type ProducerEvents } from './blocks/producer.js'
import { Chain } from './chain/chain.js'
import { InProcessProvider } from './rpc/in-process-provider.js'
import type { LedgerContext } from './rpc/session.js'
import { ForkStore } from './store/fork-store.js'
import type { Hex, Store, StoredBlock } from './store/store.js'

/** Milliseconds since 1970. */
export type Clock = () => number

/** A chain in this process that takes extrinsics and makes blocks of them. */
export class Ledger implements LedgerContext {
  readonly chain: Chain
  readonly producer: Producer
  readonly #clock: Clock

  private constructor(chain: Chain, clock: Clock, events: ProducerEvents) {
    this.chain = chain
    this.#clock = clock
    this.producer = new Producer(chain, clock, events)
  }

  static async over(store: Store, clock: Clock, events: ProducerEvents): Promise<Ledger> {
    return new Ledger(await Chain.open(store), clock, events)
  }

  get genesisHash(): Hex {
    return this.chain.genesisHash
  }

  get head(): StoredBlock {
    return this.chain.head
  }

  /** Makes a provider for `new ApiPromise({ provider })`. */
  provider(): InProcessProvider {
    return new InProcessProvider(this)
  }

  /** Makes a ledger in memory that goes on from this one's head, or an earlier block; this one never hears of it. */
  async fork(options: { readonly at?: number; readonly clock?: Clock } = {}): Promise<Ledger> {
    const at = options.at === undefined ? this.head : await this.chain.store.blockAt(options.at)
    if (!at) throw new Error(`there is no block ${options.at} to fork at`)
    const fail = (cause: unknown) => {
      throw cause
    }
    return Ledger.over(new ForkStore(this.chain.store, at), options.clock ?? this.#clock, { onFatal: fail })
  }

  async close(): Promise<void> {
    await this.producer.close()
    await this.chain.store.close()
  }
}
