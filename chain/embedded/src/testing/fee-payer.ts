import { randomBytes } from 'node:crypto'
import { type EncodedCall, type Hex32, parseHex32 } from '@accredit/chain'
import { ApiPromise } from '@polkadot/api'
import type { Inclusion } from '../blocks/submission.js'
import { type KeyPair, keyPair } from '../keys.js'
import type { Ledger } from '../ledger.js'
import { type Hex, hexOf, isHex } from '../store/store.js'
import type { Place } from './actor.js'

/** An account that signs extrinsics for others: for tests and measurements. */
export class FeePayer {
  readonly pair: KeyPair
  readonly api: ApiPromise
  readonly #ledger: Ledger
  #nonce: number

  private constructor(ledger: Ledger, pair: KeyPair, api: ApiPromise, nonce: number) {
    this.#ledger = ledger
    this.pair = pair
    this.api = api
    this.#nonce = nonce
  }

  static async on(ledger: Ledger, pair: KeyPair): Promise<FeePayer> {
    const api = await ApiPromise.create({ provider: ledger.provider(), noInitWarn: true })
    const nonce = await api.rpc.system.accountNextIndex(pair.address)
    return new FeePayer(ledger, pair, api, nonce.toNumber())
  }

  get place(): Place {
    const { genesisHash, runtimeVersion } = this.api
    return {
      genesisHash: hash(genesisHash.toHex()),
      submitter: this.pair.address,
      transactionVersion: runtimeVersion.transactionVersion.toNumber(),
    }
  }

  /** Returns a signed extrinsic with this account's next nonce, or the given one. */
  async sign(call: EncodedCall, nonce = this.#nonce++): Promise<Hex> {
    const signed = await this.api.tx(this.api.createType('Call', call)).signAsync(this.pair, { nonce, era: 0 })
    const hex = signed.toHex()
    if (!isHex(hex)) throw new TypeError('an extrinsic is hexadecimal')
    return hex
  }

  async submit(call: EncodedCall): Promise<Inclusion> {
    return this.#ledger.producer.submit(await this.sign(call)).included
  }

  close(): Promise<void> {
    return this.api.disconnect()
  }
}

export function randomPair(): Promise<KeyPair> {
  return keyPair(hexOf(randomBytes(32)))
}

function hash(text: string): Hex32 {
  const parsed = parseHex32(text)
  if (!parsed) throw new TypeError(`not a hash: ${text}`)
  return parsed
}
