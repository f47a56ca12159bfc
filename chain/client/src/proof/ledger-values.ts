import { type Hex, hexOf } from './bytes.js'
import { type LedgerDid, readDid } from './did.js'
import { readAll, type ScaleReader } from './scale-reader.js'

const BAD_VALUE = 'bad_value'
const read = <Value>(bytes: Uint8Array, name: string, reading: (reader: ScaleReader) => Value): Value =>
  readAll(bytes, name, reading, BAD_VALUE)

/** A trust registry in use. Counts are as the ledger keeps them. */
export interface TrustRegistry {
  readonly convener: string
  readonly name: string
  /** The address of the governance framework, with its digest. */
  readonly governance: string
  readonly version: number
  readonly schemas: number
  readonly entries: number
  readonly issuers: number
  readonly verifiers: number
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Reads a `RegistryState`; `removed` is the tombstone of one that was in use. */
export function readTrustRegistry(bytes: Uint8Array): TrustRegistry | 'removed' {
  return read(bytes, 'The trust registry', (reader) =>
    reader.variant(['active', 'removed']) === 'removed'
      ? 'removed'
      : {
          convener: readDid(reader).text,
          name: textOf(reader.counted()),
          governance: textOf(reader.counted()),
          version: reader.u32(),
          schemas: reader.u32(),
          entries: reader.u32(),
          issuers: reader.u32(),
          verifiers: reader.u32(),
        },
  )
}

/** Reads a `Schema`: whether anyone may verify it. */
export function readIsPublic(bytes: Uint8Array): boolean {
  return read(bytes, 'The schema', (reader) => {
    const isPublic = reader.bool()
    reader.take(4 * 4)
    return isPublic
  })
}

/** The roles of a DID in a schema of a registry. */
export interface Entry {
  /** Of an issuer: prices by currency, in millionths of a unit. */
  readonly prices?: Readonly<Record<string, string>>
  readonly isVerifier: boolean
}

export function readEntry(bytes: Uint8Array): Entry {
  return read(bytes, 'The entry of the DID', (reader) => {
    const prices = reader.bool() ? { prices: Object.fromEntries(reader.list(readPrice)) } : {}
    return { ...prices, isVerifier: reader.bool() }
  })
}

function readPrice(reader: ScaleReader): [string, string] {
  return [textOf(reader.counted()), reader.unsigned(16).toString()]
}

/** Reads a `Standing`: whether the DID is suspended. */
export function readIsSuspended(bytes: Uint8Array): boolean {
  return read(bytes, 'The standing of the DID', (reader) => {
    reader.take(2 * 4)
    const isSuspended = reader.bool()
    reader.list(readDid)
    return isSuspended
  })
}

/** Reads the issuer that a delegation's key ends with, behind a hash of 16 bytes. */
export function readDelegator(keyEnd: Uint8Array): LedgerDid {
  return read(keyEnd, 'The delegation', (reader) => {
    reader.take(16)
    return readDid(reader)
  })
}

/** Counts of a DID in use. */
export interface DidCounts {
  readonly lastKeyNumber: number
  readonly keys: number
  /** Keys that change the DID. */
  readonly controlKeys: number
  /** Besides itself. */
  readonly controllers: number
  readonly services: number
}

/** Reads a `DidState`; `deactivated` is a tombstone. */
export function readDidState(bytes: Uint8Array): DidCounts | 'deactivated' {
  return read(bytes, 'The DID', (reader) =>
    reader.variant(['active', 'deactivated']) === 'deactivated'
      ? 'deactivated'
      : {
          lastKeyNumber: reader.u32(),
          keys: reader.u32(),
          controlKeys: reader.u32(),
          controllers: reader.u32(),
          services: reader.u32(),
        },
  )
}

const KEY_BYTES = {
  Ed25519: 32,
  X25519: 32,
  BabyJubJub: 32,
  Bls12381G2: 96,
  Secp256k1: 33,
  Sr25519: 32,
  Bls12381G2Plus2022: 96,
} as const
export type KeyKind = keyof typeof KEY_BYTES
/** The kinds in the order of the runtime's variants. */
const KEY_KINDS: readonly KeyKind[] = [
  'Ed25519',
  'X25519',
  'BabyJubJub',
  'Bls12381G2',
  'Secp256k1',
  'Sr25519',
  'Bls12381G2Plus2022',
]
/** By bit, from the lowest. */
const RELATIONSHIPS = ['authentication', 'assertionMethod', 'capabilityInvocation', 'keyAgreement'] as const
export type Relationship = (typeof RELATIONSHIPS)[number]

/** A key of a DID. */
export interface PublishedKey {
  readonly keyKind: KeyKind
  readonly publicKey: Hex
  readonly relationships: readonly Relationship[]
}

export function readKey(bytes: Uint8Array): PublishedKey {
  return read(bytes, 'The key', (reader) => {
    const keyKind = reader.variant(KEY_KINDS)
    const publicKey = hexOf(reader.take(KEY_BYTES[keyKind]))
    const flags = reader.u8()
    return { keyKind, publicKey, relationships: RELATIONSHIPS.filter((_, bit) => (flags >> bit) & 1) }
  })
}

export function readKeyNumbers(bytes: Uint8Array): number[] {
  return read(bytes, 'The list of revoked keys', (reader) => reader.list((each) => each.u32()))
}

/** A revocation registry in use. */
export interface RevocationRegistry {
  readonly registryKind: 'statusList' | 'accumulator'
  /** The number of indexes. */
  readonly length: number
  readonly version: number
}

/** The members that an accumulator can number. */
const MOST_MEMBERS = 1 << 20

export function readRevocationRegistry(bytes: Uint8Array): RevocationRegistry | 'removed' {
  return read(bytes, 'The revocation registry', (reader) => {
    if (reader.variant(['active', 'removed']) === 'removed') return 'removed'
    reader.list(readDid)
    reader.bool()
    const registryKind = reader.variant(['statusList', 'accumulator'])
    const length = registryKind === 'statusList' ? reader.u32() : skipAccumulator(reader)
    return { registryKind, length, version: reader.u32() }
  })
}

function skipAccumulator(reader: ScaleReader): number {
  reader.counted()
  reader.counted()
  return MOST_MEMBERS
}

export const CHUNK_BITS = 2_048

/** Reads a bit of a chunk. Within a byte, the first is the highest. */
export function readStatusBit(bytes: Uint8Array, index: number): boolean {
  return read(bytes, 'The piece of the status list', (reader) => {
    const bit = index % CHUNK_BITS
    const byte = reader.take(CHUNK_BITS / 8)[bit >> 3] ?? 0
    return (byte & (0x80 >> (bit & 7))) !== 0
  })
}
