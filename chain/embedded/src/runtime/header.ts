import { TypeRegistry } from '@polkadot/types'
import type { Header } from '@polkadot/types/interfaces'
import { blake2AsU8a } from '@polkadot/util-crypto'
import { bytesOf, type Hex, hexOf } from '../store/store.js'

const types = new TypeRegistry()
const NO_HASH: Hex = `0x${'00'.repeat(32)}`
/** The root of a trie without entries, which a block without extrinsics carries. */
const EMPTY_ROOT: Hex = '0x03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314'

/** A header as JSON-RPC shows it. */
export interface HeaderJson {
  readonly parentHash: Hex
  readonly number: Hex
  readonly stateRoot: Hex
  readonly extrinsicsRoot: Hex
  readonly digest: { readonly logs: readonly Hex[] }
}

export function genesisHeader(stateRoot: Hex): Hex {
  return encode({ parentHash: NO_HASH, number: 0, stateRoot, extrinsicsRoot: EMPTY_ROOT, digest: { logs: [] } })
}

/** Returns the header that a block starts with: the runtime fills in the roots, and the Aura slot is the clock's. */
export function openingHeader(parentHash: Hex, number: number, slot: number): Hex {
  const slotBytes = types.createType('u64', slot).toU8a()
  const digest = { logs: [{ PreRuntime: ['aura', hexOf(slotBytes)] }] }
  return encode({ parentHash, number, stateRoot: NO_HASH, extrinsicsRoot: NO_HASH, digest })
}

export function headerHash(header: Hex): Hex {
  return hexOf(blake2AsU8a(bytesOf(header), 256))
}

export function readHeader(header: Hex): HeaderJson {
  const decoded: Header = types.createType('Header', bytesOf(header))
  return {
    parentHash: hexOf(decoded.parentHash),
    number: `0x${decoded.number.toNumber().toString(16)}`,
    stateRoot: hexOf(decoded.stateRoot),
    extrinsicsRoot: hexOf(decoded.extrinsicsRoot),
    digest: { logs: decoded.digest.logs.map((log) => hexOf(log.toU8a())) },
  }
}

function encode(header: Record<string, unknown>): Hex {
  return hexOf(types.createType('Header', header).toU8a())
}
