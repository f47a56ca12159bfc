import { readFileSync } from 'node:fs'
import { Metadata, TypeRegistry } from '@polkadot/types'
import { expandMetadata } from '@polkadot/types/metadata'
import type { Codec } from '@polkadot/types/types'
import { compactStripLength } from '@polkadot/util'
import { type Hex, hexOf } from './bytes.js'

/** The metadata of the built runtime stands beside this package, also when it runs from `dist`. */
const METADATA_FILE = new URL('../../artifact/metadata.scale', import.meta.url)

/** The suffix that the registry of types adds to a field named like a method of its structs, for instance `keys`. */
export const CLASH = '_'

/** A value as the registry takes it: numbers, text, bytes, arrays, maps, sets, and objects of these. */
export type Encodable = unknown

/** The types of one runtime, from its metadata. All encoding and decoding goes through them. */
export class ChainTypes {
  readonly registry: TypeRegistry
  readonly metadata: Metadata
  readonly #expanded: ReturnType<typeof expandMetadata>
  readonly #templates = new Map<string, Template>()

  constructor(metadata: Hex) {
    this.registry = new TypeRegistry()
    this.metadata = new Metadata(this.registry, metadata)
    this.registry.setMetadata(this.metadata)
    this.#expanded = expandMetadata(this.registry, this.metadata)
  }

  /** The bytes of a runtime call. */
  call(pallet: string, name: string, ...parameters: Encodable[]): Uint8Array {
    const build = this.#expanded.tx[pallet]?.[name]
    if (!build) throw new Error(`the runtime has no call ${pallet}.${name}`)
    return build(...parameters).toU8a()
  }

  /** Lists every call of the runtime, as `pallet.call`. */
  callNames(): string[] {
    return Object.entries(this.#expanded.tx).flatMap(([pallet, calls]) =>
      Object.keys(calls).map((name) => `${pallet}.${name}`),
    )
  }

  /** Returns a constant that is a struct, with some of its fields filled in. */
  filled(pallet: string, constant: string, fields: Readonly<Record<string, Encodable>>): Uint8Array {
    const { type, values } = this.#template(pallet, constant)
    const all = new Map<string, Encodable>(values)
    for (const [name, field] of Object.entries(fields)) {
      const known = [name, name + CLASH].find((candidate) => all.has(candidate))
      if (known === undefined) throw new Error(`the constant ${pallet}.${constant} has no field ${name}`)
      all.set(known, field)
    }
    return this.registry.createType(type, Object.fromEntries(all)).toU8a()
  }

  /**
   * Returns the key of a storage item, for maps with the keys of the entry. DIDs are given in the form of `chainDid`.
   */
  storageKey(pallet: string, item: string, ...keys: Encodable[]): Hex {
    const entry = this.#expanded.query[pallet]?.[item]
    if (!entry) throw new Error(`the runtime has no storage item ${pallet}.${item}`)
    const [, key] = compactStripLength(entry(...keys))
    return hexOf(key)
  }

  /** The constant is read once: its values are filled in for every DID and every action. */
  #template(pallet: string, constant: string): Template {
    const name = `${pallet}.${constant}`
    const known = this.#templates.get(name)
    if (known !== undefined) return known
    const { type, value } = this.#constant(pallet, constant)
    const struct: Codec = this.registry.createType(type, value)
    if (!isFieldsOf(struct)) throw new Error(`the constant ${name} is no struct`)
    const template = { type, values: [...struct.entries()] }
    this.#templates.set(name, template)
    return template
  }

  #constant(pallet: string, name: string) {
    const found = this.metadata.asLatest.pallets
      .find((candidate) => candidate.name.toString() === pallet)
      ?.constants.find((candidate) => candidate.name.toString() === name)
    if (!found) throw new Error(`the runtime has no constant ${pallet}.${name}`)
    return { type: this.registry.createLookupType(found.type), value: found.value.toU8a(true) }
  }
}

/** A struct's type, and the values of its fields. */
interface Template {
  type: string
  values: [string, Codec][]
}

let ofArtifact: ChainTypes | undefined

/**
 * Returns the types of the given metadata; without it those of the runtime that this version of the software brings.
 */
export function chainTypes(metadata?: Hex): ChainTypes {
  if (metadata !== undefined) return new ChainTypes(metadata)
  ofArtifact ??= new ChainTypes(hexOf(readFileSync(METADATA_FILE)))
  return ofArtifact
}

function isFieldsOf(value: Codec): value is Codec & Map<string, Codec> {
  return value instanceof Map
}
