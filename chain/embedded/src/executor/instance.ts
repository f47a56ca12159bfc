import { Heap } from './heap.js'
import { type Host, hostFunctions, unpacked } from './host.js'
import { type Beneath, Overlay } from './overlay.js'
import { wasmOf } from './wasm.js'

/** A runtime call that trapped or could not be run at all. */
export class RuntimeTrap extends Error {
  override readonly name = 'RuntimeTrap'
}

export type HostFunctions = Readonly<Record<string, WebAssembly.HostFunction>>

const NOTHING: Beneath = { get: () => undefined, nextKey: () => undefined }
const nothingMore = (): HostFunctions => ({})

/** A runtime with a memory, which is as new before each call. */
export class Instance {
  readonly #host: Host
  readonly #exports: WebAssembly.Exports
  readonly #heapBase: number
  /** The memory below the heap in its first state. */
  readonly #initial: Buffer

  /** `more` are functions that a runtime of a chain does not import. */
  constructor(module: WebAssembly.Module, more: (host: Host) => HostFunctions = nothingMore) {
    const heap = new Heap()
    this.#host = { heap, overlay: new Overlay(NOTHING), lastWords: '', versionOf: embeddedVersion }
    this.#exports = instantiate(module, { memory: heap.memory, ...hostFunctions(this.#host), ...more(this.#host) })
    const base = this.#exports.__heap_base
    if (!(base instanceof WebAssembly.Global)) throw new RuntimeTrap('the runtime does not tell where its data ends')
    this.#heapBase = Number(base.value)
    this.#initial = Buffer.from(heap.bytes.subarray(0, this.#heapBase))
  }

  call(method: string, argument: Uint8Array, overlay: Overlay): Uint8Array {
    const exported = this.#exports[method]
    if (typeof exported !== 'function') throw new RuntimeTrap(`the runtime has no ${method}`)
    const { heap } = this.#host
    this.#host.overlay = overlay
    this.#host.lastWords = ''
    heap.begin(this.#heapBase)
    this.#initial.copy(heap.bytes)
    try {
      const pointer = heap.allocate(argument.length)
      heap.bytes.set(argument, pointer)
      const [start, length] = unpacked(exported(pointer, argument.length))
      return Uint8Array.from(heap.bytes.subarray(start, start + length))
    } catch (cause) {
      throw new RuntimeTrap(this.#host.lastWords || reasonOf(cause), { cause })
    }
  }
}

type Environment = ConstructorParameters<typeof WebAssembly.Instance>[1]['env']

function instantiate(module: WebAssembly.Module, env: Environment): WebAssembly.Exports {
  try {
    return new WebAssembly.Instance(module, { env }).exports
  } catch (cause) {
    throw new RuntimeTrap(`the runtime asks for what this software does not offer: ${reasonOf(cause)}`, { cause })
  }
}

/** Tells the version of a code, which the chain asks for before it takes a new one. */
function embeddedVersion(code: Uint8Array): Uint8Array | undefined {
  try {
    return new Instance(new WebAssembly.Module(wasmOf(code))).call(
      'Core_version',
      new Uint8Array(),
      new Overlay(NOTHING),
    )
  } catch {
    return undefined // the code cannot run here
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
