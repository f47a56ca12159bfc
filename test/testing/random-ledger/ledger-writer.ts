import {
  type ChainEvent,
  chainTypes,
  decodeEvents,
  type EncodedCall,
  forceBatch,
  type Hex,
  parseHex32,
} from '@accredit/chain'
import { ApiPromise, Keyring } from '@polkadot/api'
import { Socket } from '../../../chain/embedded/src/testing/ledger-process.js'
import type { Place } from './actor.js'

/** The block that holds the submitted calls, or the last of several blocks. */
export interface Written {
  readonly height: number
  readonly hash: string
  /** Milliseconds since 1970, by the ledger's clock. */
  readonly time: number
  readonly events: readonly ChainEvent[]
  /** The heights of its events, in their order. */
  readonly heights: readonly number[]
}

/** A node's words for an extrinsic that might take longer than a block may. */
const TOO_HEAVY = 'exhaust the block limits'

/** Writes to a ledger by its URL, with one account that pays all fees. */
export class LedgerWriter {
  private constructor(
    private readonly socket: Socket,
    readonly api: ApiPromise,
    private readonly payer: ReturnType<Keyring['addFromSeed']>,
  ) {}

  /** @param sudoSeed of the account that has funds from the start, and may act as root */
  static async connect(url: string, sudoSeed: Hex): Promise<LedgerWriter> {
    const socket = new Socket(url)
    const api = await ApiPromise.create({ provider: socket, noInitWarn: true })
    const payer = new Keyring({ type: 'sr25519', ss58Format: 42 }).addFromSeed(Buffer.from(sudoSeed.slice(2), 'hex'))
    return new LedgerWriter(socket, api, payer)
  }

  get place(): Place {
    const genesisHash = parseHex32(this.api.genesisHash.toHex())
    if (genesisHash === undefined) throw new TypeError('a genesis hash has 32 bytes')
    const transactionVersion = this.api.runtimeVersion.transactionVersion.toNumber()
    return { genesisHash, submitter: this.payer.address, transactionVersion }
  }

  /**
   * Submits calls in one extrinsic, or in more where one cannot hold them; a call that fails does not stop the others.
   */
  async submit(calls: readonly EncodedCall[]): Promise<Written> {
    try {
      return await this.send(forceBatch(calls))
    } catch (error) {
      if (calls.length < 2 || !(error instanceof Error) || !error.message.includes(TOO_HEAVY)) throw error
      const half = Math.ceil(calls.length / 2)
      const first = await this.submit(calls.slice(0, half))
      const last = await this.submit(calls.slice(half))
      return {
        ...last,
        events: [...first.events, ...last.events],
        heights: [...first.heights, ...last.heights],
      }
    }
  }

  /** Submits a call as root, without a limit of weight. */
  submitAsRoot(call: EncodedCall): Promise<Written> {
    return this.send(chainTypes().call('sudo', 'sudoUncheckedWeight', call, { refTime: 0, proofSize: 0 }))
  }

  /** Returns the result of a JSON-RPC request. */
  async ask(method: string, ...params: unknown[]): Promise<unknown> {
    return this.socket.send(method, params)
  }

  async blockAt(hash: string): Promise<Pick<Written, 'height' | 'hash' | 'time'>> {
    const height = (await this.api.rpc.chain.getHeader(hash)).number.toNumber()
    const now = await this.storage('timestamp', 'now', hash)
    // The time is little-endian; the genesis block has none.
    const time = Number(Buffer.from((now ?? '0x').slice(2).padEnd(16, '0'), 'hex').readBigUInt64LE())
    return { height, hash, time }
  }

  close(): Promise<void> {
    return this.api.disconnect()
  }

  private async send(call: EncodedCall): Promise<Written> {
    const hash = await new Promise<string>((resolve, reject) => {
      this.api
        .tx(this.api.createType('Call', call))
        .signAndSend(this.payer, { nonce: -1, era: 0 }, ({ status, dispatchError }) => {
          if (dispatchError !== undefined) reject(new Error(dispatchError.toString()))
          else if (status.isFinalized) resolve(status.asFinalized.toHex())
        })
        .catch(reject)
    })
    const block = await this.blockAt(hash)
    const events = decodeEvents((await this.storage('system', 'events', hash)) ?? '0x00')
    return { ...block, events, heights: events.map(() => block.height) }
  }

  private async storage(pallet: string, item: string, hash: string): Promise<Hex | undefined> {
    const value = await this.ask('state_getStorage', chainTypes().storageKey(pallet, item), hash)
    return typeof value === 'string' && value.startsWith('0x') ? `0x${value.slice(2)}` : undefined
  }
}
