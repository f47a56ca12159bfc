import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import {
  type ChainKey,
  creationBytes,
  type Did,
  didCreate,
  didIdOf,
  didKey,
  dispatchAs,
  dispatchBytes,
  type EncodedCall,
  type Hex32,
  hexOf,
  type KeyInput,
  possessionBytes,
  type ServiceEntry,
} from '@accredit/chain'
import type { SeededRandom } from './seeded-random.js'

/** The ledger and the submitter that authorisations are signed for. */
export interface Place {
  readonly genesisHash: Hex32
  readonly submitter: string
  readonly transactionVersion: number
}

/** DER of an Ed25519 private key (RFC 8410), up to the 32 bytes themselves. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

interface KeyPair {
  readonly key: ChainKey
  readonly secret: KeyObject
}

function keyPair(random: SeededRandom): KeyPair {
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, random.bytes(32)]), format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' })
  return { key: { kind: 'Ed25519', publicKey: hexOf(spki.subarray(-32)) }, secret }
}

/** The state of a DID as its events tell it. */
interface KnownDid {
  /** The nonce of its last action. */
  nonce: number
  /** The number that its next key gets. */
  nextKey: number
  isDeactivated: boolean
  readonly controllers: Set<Did>
  readonly services: Set<string>
}

function unknown(): KnownDid {
  return { nonce: 0, nextKey: 2, isDeactivated: false, controllers: new Set(), services: new Set() }
}

/** A DID and the key that acts for it. */
export class Actor {
  readonly did: Did
  private constructor(
    readonly name: string,
    private pair: KeyPair,
    private readonly salt: Hex32 | undefined,
    public keyId: number,
    readonly known: KnownDid = unknown(),
  ) {
    const did = salt === undefined ? didKey(pair.key) : didIdOf(pair.key, salt)
    if (did === undefined) throw new TypeError('an Ed25519 key has a did:key')
    this.did = did
  }

  static ofLedger(random: SeededRandom, name: string): Actor {
    return new Actor(name, keyPair(random), random.hex32(), 1)
  }

  /** Makes a did:key, which acts without having been created. */
  static ofKey(random: SeededRandom, name: string): Actor {
    return new Actor(name, keyPair(random), undefined, 0)
  }

  /** Copies it for a ledger that forks here. */
  copy(): Actor {
    return new Actor(this.name, this.pair, this.salt, this.keyId, structuredClone(this.known))
  }

  get isOfLedger(): boolean {
    return this.salt !== undefined
  }

  creation(place: Place, more: { controllers?: Did[]; services?: ServiceEntry[] }): EncodedCall {
    if (this.salt === undefined) throw new TypeError('a did:key is not created')
    const { controllers = [], services = [] } = more
    const creation = { salt: this.salt, keys: [{ key: this.pair.key, relationships: 0 }], controllers, services }
    return didCreate({ ...creation, signature: this.sign(creationBytes({ ...creation, ...place })) })
  }

  /** Signs an action whose nonce follows the last one and the `ahead` actions that are not included yet. */
  action(place: Place, calls: readonly EncodedCall[], options: { ahead: number; validUntil: number }): EncodedCall {
    const nonce = this.known.nonce + 1 + options.ahead
    const dispatch = { did: this.did, keyId: this.keyId, nonce, validUntil: options.validUntil, calls }
    return dispatchAs({ ...dispatch, signature: this.sign(dispatchBytes({ ...dispatch, ...place })) })
  }

  /** Makes a further key, with its proof of possession; `use` has the actor sign with it. */
  nextPair(random: SeededRandom, genesisHash: Hex32, id: Hex32): { input: KeyInput; use(keyId: number): void } {
    const pair = keyPair(random)
    const bytes = possessionBytes({ genesisHash, did: id, key: pair.key })
    const input = { key: pair.key, relationships: 0, possession: hexOf(sign(null, bytes, pair.secret)) }
    const use = (keyId: number) => {
      this.pair = pair
      this.keyId = keyId
    }
    return { input, use }
  }

  private sign(bytes: Uint8Array) {
    return hexOf(sign(null, bytes, this.pair.secret))
  }
}
