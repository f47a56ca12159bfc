import { compactToU8a, u8aConcat } from '@polkadot/util'
import { blake2AsU8a } from '@polkadot/util-crypto'
import { type Hex, type Hex32, hex32Of } from './bytes.js'
import { callWith, type EncodedCall, encodableKey, encodableKeyEntry, encodableService } from './calls.js'
import { chainDid, type Did, didSvc } from './did.js'
import type { ChainKey, KeyEntry, ServiceEntry } from './key.js'
import { encodableDids } from './schemas-update.js'
import { type ChainTypes, chainTypes } from './types.js'

/** A DID as it is created. */
export interface Creation {
  readonly salt: Hex32
  /** The keys. The first must be Ed25519 with capabilityInvocation; it signs. */
  readonly keys: readonly KeyEntry[]
  readonly controllers: readonly Did[]
  readonly services: readonly ServiceEntry[]
}

/** The ledger on which an authorisation may be used, and the account that may use it. */
interface Place {
  readonly genesisHash: Hex32
  /** SS58 address of the account that sends it and pays. */
  readonly submitter: string
}

export interface Dispatch extends Place {
  readonly transactionVersion: number
  readonly did: Did
  readonly keyId: number
  /** The actor's last nonce plus one. */
  readonly nonce: number
  /** Milliseconds since 1970, at most one hour ahead of the ledger's clock. */
  readonly validUntil: number
  readonly calls: readonly EncodedCall[]
}

/** The DID that a first key and a salt make. */
export function didIdOf(firstKey: ChainKey, salt: Hex32, types: ChainTypes = chainTypes()): Did {
  const bytes = types.filled('Did', 'id_payload', { key: encodableKey(firstKey), salt })
  return didSvc(hex32Of(blake2AsU8a(bytes, 256)))
}

/** Returns the bytes that the first key of a new DID signs. */
export function creationBytes(creation: Creation & Place, types: ChainTypes = chainTypes()): Uint8Array {
  const { genesisHash, submitter } = creation
  return types.filled('Did', 'creation_payload', {
    genesisHash,
    submitter,
    salt: creation.salt,
    keys: creation.keys.map(encodableKeyEntry),
    controllers: encodableDids(creation.controllers),
    services: creation.services.map(encodableService),
  })
}

/** Returns the bytes that a key of the acting DID signs. */
export function dispatchBytes(dispatch: Dispatch, types: ChainTypes = chainTypes()): Uint8Array {
  const withoutCalls = types.filled('Did', 'action_payload', {
    genesisHash: dispatch.genesisHash,
    transactionVersion: dispatch.transactionVersion,
    did: chainDid(dispatch.did),
    keyId: dispatch.keyId,
    nonce: dispatch.nonce,
    validUntil: dispatch.validUntil,
    submitter: dispatch.submitter,
  })
  return withList(withoutCalls, dispatch.calls)
}

/** Returns the bytes that an Ed25519 key signs to be taken up by an existing DID. */
export function possessionBytes(
  possession: { genesisHash: Hex32; did: Hex32; key: ChainKey },
  types: ChainTypes = chainTypes(),
): Uint8Array {
  const { genesisHash, did, key } = possession
  return types.filled('Did', 'possession_payload', { genesisHash, did, key: encodableKey(key) })
}

/** Returns the hash by which `Dispatched` names the calls. */
export function callHash(calls: readonly EncodedCall[]): Hex32 {
  return hex32Of(blake2AsU8a(listOf(calls), 256))
}

/** Builds the call that creates a DID; `signature` is the first key's over `creationBytes`. */
export function didCreate(creation: Creation & { signature: Hex }, types: ChainTypes = chainTypes()): EncodedCall {
  const { salt, keys, controllers, services, signature } = creation
  return callWith(types)(
    'did.create',
    salt,
    keys.map(encodableKeyEntry),
    encodableDids(controllers),
    services.map(encodableService),
    signature,
  )
}

/** Builds the call that makes calls as a DID; `signature` is the key's over `dispatchBytes`. */
export function dispatchAs(
  dispatch: Omit<Dispatch, keyof Place | 'transactionVersion'> & { signature: Hex },
  types: ChainTypes = chainTypes(),
): EncodedCall {
  const { did, keyId, nonce, validUntil, signature } = dispatch
  const authorization = { did: chainDid(did), keyId, nonce, validUntil, signature }
  return withList(callWith(types)('did.dispatchAs', authorization, []), dispatch.calls)
}

/** Builds the call that makes calls one after the other, and goes on where one fails. */
export function forceBatch(calls: readonly EncodedCall[], types: ChainTypes = chainTypes()): EncodedCall {
  return withList(types.call('utility', 'forceBatch', []), calls)
}

/** Encoded calls stay encoded: decoding and encoding them again costs more than all the rest. */
export function listOf(calls: readonly EncodedCall[]): Uint8Array {
  return u8aConcat(compactToU8a(calls.length), ...calls)
}

/** Puts these calls into the encoded empty list at the end of the bytes. */
function withList(endsWithEmptyList: Uint8Array, calls: readonly EncodedCall[]): Uint8Array {
  return u8aConcat(endsWithEmptyList.subarray(0, -1), listOf(calls))
}
