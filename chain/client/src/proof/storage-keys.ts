import { concatBytes } from '@noble/hashes/utils'
import { hexOf, littleEndian } from './bytes.js'
import { HASHERS, twox128 } from './hashers.js'

/** The pallets whose layout this verifier knows, each with the version of it. */
export const LAYOUTS = { Did: 1, TrustRegistry: 1, Revocation: 1 } as const
export type Pallet = keyof typeof LAYOUTS

const item = (pallet: string, name: string): Uint8Array => concatBytes(twox128(pallet), twox128(name))
const { Blake2_128Concat: hashed, Twox64Concat: counted } = HASHERS
const u32 = (value: number): Uint8Array => littleEndian(value, 4)

/** The key under which a pallet keeps the version of its layout. */
export const layoutKey = (pallet: Pallet): Uint8Array => item(pallet, ':__STORAGE_VERSION__:')

export const GRANDPA_AUTHORITIES = item('Grandpa', 'Authorities')
export const TIMESTAMP_NOW = item('Timestamp', 'Now')
/** The hash of block 0, which FRAME keeps for ever in the state of every later block. */
export const GENESIS_HASH = concatBytes(item('System', 'BlockHash'), counted(u32(0)))

const ITEMS = {
  dids: item('Did', 'Dids'),
  keys: item('Did', 'Keys'),
  revokedKeys: item('Did', 'RevokedKeys'),
  registries: item('TrustRegistry', 'Registries'),
  schemas: item('TrustRegistry', 'Schemas'),
  entries: item('TrustRegistry', 'Entries'),
  standings: item('TrustRegistry', 'Standings'),
  delegations: item('TrustRegistry', 'Delegations'),
  revocationRegistries: item('Revocation', 'Registries'),
  chunks: item('Revocation', 'Chunks'),
}

/** Names what each DID has below the same beginning, which is hashed once for all of them. */
const below =
  (beginning: Uint8Array) =>
  (did: Uint8Array): Uint8Array =>
    concatBytes(beginning, hashed(did))

/**
 * The keys of the ledger's storage. Ids are of 32 bytes, a `Did` is encoded as the runtime does it, and numbers have 32
 * bits.
 */
export const storageKeys = {
  /** A `DidState`. */
  did: (id: Uint8Array) => concatBytes(ITEMS.dids, hashed(id)),
  /** A `KeyEntry`. */
  key: (id: Uint8Array, number: number) => concatBytes(ITEMS.keys, hashed(id), counted(u32(number))),
  /** The numbers of compromised keys. */
  revokedKeys: (id: Uint8Array) => concatBytes(ITEMS.revokedKeys, hashed(id)),
  /** A `RegistryState`. */
  registry: (id: Uint8Array) => concatBytes(ITEMS.registries, hashed(id)),
  /** A `Schema`. */
  schema: (registry: Uint8Array, schema: Uint8Array) => concatBytes(ITEMS.schemas, hashed(registry), hashed(schema)),
  /** An `Entry`: what a DID may do. */
  entry: (registry: Uint8Array, schema: Uint8Array) =>
    below(concatBytes(ITEMS.entries, hashed(registry), hashed(schema))),
  /** A `Standing`. */
  standing: (registry: Uint8Array) => below(concatBytes(ITEMS.standings, hashed(registry))),
  /** The beginning of the keys of all delegations to a DID in a registry; a hash of 16 bytes and the issuer follow. */
  delegations: (delegate: Uint8Array, registry: Uint8Array) =>
    concatBytes(ITEMS.delegations, hashed(delegate), hashed(registry)),
  /** A `RegistryState` of the revocation pallet. */
  revocationRegistry: (id: Uint8Array) => concatBytes(ITEMS.revocationRegistries, hashed(id)),
  /** A `Chunk` of 2,048 status bits. */
  chunk: (registry: Uint8Array, number: number) => concatBytes(ITEMS.chunks, hashed(registry), counted(u32(number))),
}

/** The keys that whoever makes bundles reads beside those of a question. */
export const grandpaKeys = {
  authorities: hexOf(GRANDPA_AUTHORITIES),
  /** The number of the present validator set; absent while it is 0. */
  setId: hexOf(item('Grandpa', 'CurrentSetId')),
} as const
