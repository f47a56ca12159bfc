import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  creationBytes,
  type Did,
  didCreate,
  didIdOf,
  dispatchAs,
  dispatchBytes,
  type EncodedCall,
  type Hex32,
  hex32Of,
  hexOf,
  type KeyEntry,
} from '@accredit/chain'

/** The ledger and the submitter that an actor's authorisations are signed for. */
export interface Place {
  readonly genesisHash: Hex32
  readonly submitter: string
  readonly transactionVersion: number
}

/** A DID with one Ed25519 key, which makes and signs its own actions: for tests and measurements. */
export class Actor {
  readonly did: Did
  readonly #place: Place
  readonly #privateKey: KeyObject
  readonly #keys: readonly KeyEntry[]
  readonly #salt = hex32Of(randomBytes(32))
  #nonce = 0

  constructor(place: Place) {
    this.#place = place
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    this.#privateKey = privateKey
    const key = {
      kind: 'Ed25519',
      publicKey: hexOf(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)),
    } as const
    this.#keys = [{ key, relationships: 0 }]
    this.did = didIdOf(key, this.#salt)
  }

  create(): EncodedCall {
    const creation = { salt: this.#salt, keys: this.#keys, controllers: [], services: [] }
    return didCreate({ ...creation, signature: this.#sign(creationBytes({ ...creation, ...this.#place })) })
  }

  /** Returns the next action of this DID, which is good once the ones before it are included. */
  act(calls: readonly EncodedCall[], now = Date.now()): EncodedCall {
    this.#nonce += 1
    const dispatch = { did: this.did, keyId: 1, nonce: this.#nonce, validUntil: now + 600_000, calls }
    return dispatchAs({ ...dispatch, signature: this.#sign(dispatchBytes({ ...dispatch, ...this.#place })) })
  }

  #sign(bytes: Uint8Array) {
    return hexOf(sign(null, bytes, this.#privateKey))
  }
}
