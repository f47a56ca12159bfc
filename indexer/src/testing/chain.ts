import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  calls,
  creationBytes,
  type Did,
  didCreate,
  didIdOf,
  dispatchAs,
  dispatchBytes,
  type EncodedCall,
  hex32Of,
  hexOf,
  type KeyEntry,
  parseHex32,
} from '@accredit/chain'
import { openLedger, randomKeys } from '@accredit/embedded-ledger'
import { ApiPromise, Keyring } from '@polkadot/api'

export interface Actor {
  did: Did
  key: KeyObject
  nonce: number
  /** The block that created it. */
  born: number
}

/** A DID's whole set: several relationships follow from the kind of key. */
const ALL_RELATIONSHIPS = 0
const HOUR_MS = 3_600_000

/** A real ledger with people who act on it. Each action is a block of its own unless batched. */
export class TestChain {
  private constructor(
    readonly url: string,
    private readonly api: ApiPromise,
    private readonly payer: ReturnType<Keyring['addFromUri']>,
    private readonly closeLedger: () => Promise<void>,
  ) {}

  get genesisHash(): string {
    return this.api.genesisHash.toHex()
  }

  get payerAddress(): string {
    return this.payer.address
  }

  static async open(databaseUrl: string, keys = randomKeys()): Promise<TestChain> {
    const payer = new Keyring({ type: 'ed25519', ss58Format: 42 }).addFromSeed(new Uint8Array(32).fill(7))
    const { ledger, url, close } = await openLedger({ databaseUrl, keys, feeAccounts: [payer.address] })
    const api = await ApiPromise.create({ provider: ledger.provider(), noInitWarn: true })
    return new TestChain(url, api, payer, close)
  }

  async createDid(
    options: { controllers?: Did[]; services?: { id: string; type: string; endpoints: string[] }[] } = {},
  ) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const first: KeyEntry = { key: { kind: 'Ed25519', publicKey: rawKey(publicKey) }, relationships: ALL_RELATIONSHIPS }
    const salt = hex32Of(randomBytes(32))
    const creation = { salt, keys: [first], controllers: options.controllers ?? [], services: options.services ?? [] }
    const signature = hexOf(sign(null, creationBytes({ ...creation, ...this.place() }), privateKey))
    const born = await this.submit(didCreate({ ...creation, signature }))
    return { did: didIdOf(first.key, salt), key: privateKey, nonce: 0, born }
  }

  /** @returns the height of the block that the calls are in */
  act(actor: Actor, ...made: EncodedCall[]): Promise<number> {
    return this.submit(this.authorised(actor, made))
  }

  async head(): Promise<{ height: number; hash: string }> {
    const { number, hash } = await this.api.rpc.chain.getHeader()
    return { height: number.toNumber(), hash: hash.toHex() }
  }

  async close(): Promise<void> {
    await this.api.disconnect()
    await this.closeLedger()
  }

  private authorised(actor: Actor, made: EncodedCall[]): EncodedCall {
    actor.nonce += 1
    const { did, key, nonce } = actor
    const what = { did, keyId: 1, nonce, validUntil: Date.now() + HOUR_MS / 2, calls: made }
    const transactionVersion = this.api.runtimeVersion.transactionVersion.toNumber()
    const signature = hexOf(sign(null, dispatchBytes({ ...what, ...this.place(), transactionVersion }), key))
    return dispatchAs({ ...what, signature })
  }

  private place() {
    const genesisHash = parseHex32(this.api.genesisHash.toHex())
    if (genesisHash === undefined) throw new Error('a genesis hash has 32 bytes')
    return { genesisHash, submitter: this.payer.address }
  }

  private submit(call: EncodedCall): Promise<number> {
    return this.send(this.api.tx(this.api.createType('Call', call)))
  }

  private send(extrinsic: ReturnType<ApiPromise['tx']>): Promise<number> {
    return new Promise((resolve, reject) => {
      extrinsic
        .signAndSend(this.payer, { nonce: -1 }, ({ status, dispatchError }) => {
          if (!status.isFinalized) return
          if (dispatchError !== undefined) reject(new Error(this.explain(dispatchError)))
          else this.heightOf(status.asFinalized.toHex()).then(resolve, reject)
        })
        .catch(reject)
    })
  }

  private async heightOf(hash: string): Promise<number> {
    return (await this.api.rpc.chain.getHeader(hash)).number.toNumber()
  }

  private explain(error: {
    isModule: boolean
    toString(): string
    asModule: Parameters<ApiPromise['registry']['findMetaError']>[0]
  }) {
    return error.isModule ? this.api.registry.findMetaError(error.asModule).name : error.toString()
  }
}

export { calls }

function rawKey(key: KeyObject) {
  return hexOf(key.export({ format: 'der', type: 'spki' }).subarray(-32))
}
