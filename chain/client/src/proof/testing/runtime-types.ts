import { readFileSync } from 'node:fs'
import { expandMetadata, Metadata, TypeRegistry } from '@polkadot/types'
import type { Header } from '@polkadot/types/interfaces'
import { compactStripLength } from '@polkadot/util'
import { type Hex, hexOf } from '../bytes.js'

const ARTIFACT = new URL('../../../../artifact/metadata.scale', import.meta.url)
const types = new TypeRegistry()
const metadata = new Metadata(types, new Uint8Array(readFileSync(ARTIFACT)))
types.setMetadata(metadata)
const { query } = expandMetadata(types, metadata)

/** Names a storage item of the runtime as its metadata does, with a small first letter. */
export type ItemName = `${string}.${string}`

/** Encodes an entry of the state as the runtime does, by its metadata. */
export function stateEntry(name: ItemName, keys: readonly unknown[], value: unknown): [key: Hex, value: Hex] {
  const entry = entryOf(name)
  return [
    storageKey(name, ...keys),
    hexOf(
      types
        .createType(
          entry.meta.type.isPlain
            ? types.createLookupType(entry.meta.type.asPlain)
            : types.createLookupType(entry.meta.type.asMap.value),
          value,
        )
        .toU8a(),
    ),
  ]
}

export function storageKey(name: ItemName, ...keys: readonly unknown[]): Hex {
  return hexOf(compactStripLength(entryOf(name)(...keys))[1])
}

export function encodeHeader(header: Readonly<Record<string, unknown>>): Uint8Array {
  return types.createType('Header', header).toU8a()
}

/** Shows a header as JSON-RPC does. */
export function headerJson(header: Hex) {
  const { parentHash, number, stateRoot, extrinsicsRoot, digest }: Header = types.createType('Header', header)
  return {
    parentHash: hexOf(parentHash),
    number: `0x${number.toNumber().toString(16)}`,
    stateRoot: hexOf(stateRoot),
    extrinsicsRoot: hexOf(extrinsicsRoot),
    digest: { logs: digest.logs.map((log) => hexOf(log.toU8a())) },
  } as const
}

/** Encodes a value of any type of Substrate. */
export function scaleOf(type: string, value: unknown): Uint8Array {
  return types.createType(type, value).toU8a()
}

function entryOf(name: ItemName) {
  const [pallet = '', item = ''] = name.split('.')
  const entry = query[pallet]?.[item]
  if (!entry) throw new Error(`the runtime has no storage item ${name}`)
  return entry
}
