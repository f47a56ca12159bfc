import { Metadata, TypeRegistry } from '@polkadot/types'
import type { BlockLength, RuntimeVersion } from '@polkadot/types/interfaces'
import { expandMetadata } from '@polkadot/types/metadata'
import { compactFromU8a } from '@polkadot/util'
import { Executable, type RuntimeCall, type RuntimeOutcome, type StateView } from '../executor/executable.js'
import { bytesOf, type Hex, hexOf } from '../store/store.js'

export { CODE_KEY } from '../executor/wasm.js'

/** The state for calls that need no chain: metadata, and the genesis itself. */
export const EMPTY_STATE: StateView = { known: () => null, values: async () => [], keys: async () => [] }

/** The number of runtimes that are kept: the present one, the one before, and those of tests. */
const KEPT = 4
const types = new TypeRegistry()
const loaded = new Map<Hex, Promise<Runtime>>()

/** The names of calls are listed: names that callers choose must not fill the memory. */
const PURE: ReadonlySet<string> = new Set(['Core_version', 'Metadata_metadata', 'Metadata_metadata_versions'])

export interface CodeVersion {
  readonly specName: string
  readonly implName: string
  readonly authoringVersion: number
  readonly specVersion: number
  readonly implVersion: number
  readonly apis: readonly (readonly [Hex, number])[]
  readonly transactionVersion: number
  /** The version of the state: 0 or 1; from 2 on the extrinsics root, too, is of the newer trie layout. */
  readonly stateVersion: number
}

/** One runtime code with everything that follows from the code alone. */
export class Runtime {
  readonly code: Hex
  readonly version: CodeVersion
  /** The SCALE bytes of the metadata, as `state_getMetadata` answers. */
  readonly metadata: Hex
  readonly registry: TypeRegistry
  /** The limit of the class of extrinsics that may be the longest. */
  readonly maxExtrinsicBytes: number
  readonly #executable: Executable
  readonly #expanded: ReturnType<typeof expandMetadata>
  readonly #pure = new Map<string, Promise<Hex>>()

  private constructor(code: Hex, executable: Executable, metadata: Hex) {
    this.code = code
    this.#executable = executable
    this.metadata = metadata
    this.registry = new TypeRegistry()
    const parsed = new Metadata(this.registry, metadata)
    this.registry.setMetadata(parsed)
    this.#expanded = expandMetadata(this.registry, parsed)
    this.version = this.#readVersion()
    this.maxExtrinsicBytes = this.#readMaxExtrinsicBytes()
  }

  /** Chains and forks of this process that have the same code share it. */
  static async load(code: Hex): Promise<Runtime> {
    const known = loaded.get(code)
    if (known) return known
    const loading = Runtime.#make(code)
    loaded.set(code, loading)
    loading.catch(() => loaded.delete(code))
    for (const oldest of loaded.keys()) {
      if (loaded.size <= KEPT) break
      loaded.delete(oldest)
    }
    return loading
  }

  static async #make(code: Hex): Promise<Runtime> {
    const executable = await Executable.of(code)
    const { result } = await executable.run([{ method: 'Metadata_metadata' }], EMPTY_STATE)
    return new Runtime(code, executable, withoutLength(result))
  }

  run(calls: readonly RuntimeCall[], state: StateView): Promise<RuntimeOutcome> {
    return this.#executable.run(calls, state)
  }

  /** The calls without arguments whose answer depends on the code alone are run once. */
  async answer(method: string, argument: Hex, state: StateView): Promise<Hex> {
    if (argument !== '0x' || !PURE.has(method)) return (await this.run([{ method, argument }], state)).result
    const known = this.#pure.get(method)
    if (known) return known
    const answer = this.run([{ method }], EMPTY_STATE).then((outcome) => outcome.result)
    this.#pure.set(method, answer)
    answer.catch(() => this.#pure.delete(method))
    return answer
  }

  /** Makes the key of an entry; of a map, the entry of these map keys. */
  storageKey(pallet: string, item: string, ...mapKeys: readonly number[]): Hex {
    const entry = this.#expanded.query[pallet]?.[item]
    if (!entry) throw new Error(`the runtime has no storage item ${pallet}.${item}`)
    return hexOf(withoutLengthBytes(entry(...mapKeys)))
  }

  /** The value comes from the metadata: the code itself would have to run once more for it. */
  #readVersion(): CodeVersion {
    const constant = this.#expanded.consts.system?.version
    if (!constant) throw new Error('the runtime has no constant system.version')
    const version: RuntimeVersion = types.createType('RuntimeVersion', constant.toU8a())
    return {
      specName: version.specName.toString(),
      implName: version.implName.toString(),
      authoringVersion: version.authoringVersion.toNumber(),
      specVersion: version.specVersion.toNumber(),
      implVersion: version.implVersion.toNumber(),
      apis: version.apis.map(([name, number]) => [hexOf(name.toU8a()), number.toNumber()] as const),
      transactionVersion: version.transactionVersion.toNumber(),
      stateVersion: version.stateVersion.toNumber(),
    }
  }

  #readMaxExtrinsicBytes(): number {
    const constant = this.#expanded.consts.system?.blockLength
    if (!constant) throw new Error('the runtime has no constant system.blockLength')
    const { max }: BlockLength = types.createType('BlockLength', constant.toU8a())
    return Math.max(max.normal.toNumber(), max.operational.toNumber())
  }

  /** Returns the extrinsic that tells the runtime the time, unsigned, as block authors place it first. */
  timestampInherent(milliseconds: number): Hex {
    const set = this.#expanded.tx.timestamp?.set
    if (!set) throw new Error('the runtime has no call timestamp.set')
    return hexOf(this.registry.createType('Extrinsic', set(milliseconds)).toU8a())
  }
}

function withoutLength(encoded: Hex): Hex {
  return hexOf(withoutLengthBytes(bytesOf(encoded)))
}

function withoutLengthBytes(encoded: Uint8Array): Uint8Array {
  const [offset] = compactFromU8a(encoded)
  return encoded.subarray(offset)
}
