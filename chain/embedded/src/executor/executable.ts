import { waitReady } from '@polkadot/wasm-crypto'
import { bytesOf, type Hex, hexOf, type StateChanges } from '../store.js'
import { Heap } from './heap.js'
import { type Host, hostFunctions, unpacked } from './host.js'
import { type Beneath, Overlay } from './overlay.js'
import { Reading, type StateView } from './reading.js'
import { wasmOf } from './wasm.js'

export type { StateView } from './reading.js'

/** One call of the runtime: an exported function and its SCALE-encoded argument. */
export interface RuntimeCall {
  readonly method: string
  readonly argument?: Hex
  /** Makes it an attempt: where this says so of what it returned, or it trapped, it leaves nothing in the state. */
  readonly undoIf?: (result: Hex) => boolean
}

/** A runtime call that trapped or could not be run at all. */
export class RuntimeTrap extends Error {
  override readonly name = 'RuntimeTrap'
}

export interface RuntimeOutcome {
  /** SCALE bytes that the last call returned that was no attempt. */
  readonly result: Hex
  /** What the attempts came to, in order. */
  readonly attempts: readonly (Hex | RuntimeTrap)[]
  readonly changes: StateChanges
}

const NOTHING: Beneath = { get: () => undefined, nextKey: () => undefined }

/** A runtime code, compiled once, and run by this process's own JavaScript engine. */
export class Executable {
  readonly #module: WebAssembly.Module
  #instance: Instance | undefined

  private constructor(module: WebAssembly.Module) {
    this.#module = module
  }

  static async of(code: Hex): Promise<Executable> {
    await waitReady()
    const module = await WebAssembly.compile(wasmOf(bytesOf(code))).catch((cause: unknown) => {
      throw new RuntimeTrap('the runtime code is no WebAssembly', { cause })
    })
    return new Executable(module)
  }

  /**
   * Runs the calls in order over one state, and again until they have seen it as it is: what they did before, a trap too,
   * may be due to what they did not see.
   */
  async run(calls: readonly RuntimeCall[], state: StateView): Promise<RuntimeOutcome> {
    const reading = new Reading(state)
    for (;;) {
      const outcome = settled(() => this.#runOver(reading, calls))
      if (await reading.settle()) return outcome()
    }
  }

  #runOver(state: Beneath, calls: readonly RuntimeCall[]): RuntimeOutcome {
    const overlay = new Overlay(state)
    const attempts: (Hex | RuntimeTrap)[] = []
    let result: Hex = '0x'
    for (const call of calls) {
      if (call.undoIf) attempts.push(this.#attempt(call, call.undoIf, overlay))
      else result = this.#call(call, overlay)
    }
    return { result, attempts, changes: overlay.changes() }
  }

  #attempt(call: RuntimeCall, undoIf: (result: Hex) => boolean, overlay: Overlay): Hex | RuntimeTrap {
    overlay.begin()
    try {
      const result = this.#call(call, overlay)
      if (undoIf(result)) overlay.rollBack()
      else overlay.commit()
      return result
    } catch (cause) {
      if (!(cause instanceof RuntimeTrap)) throw cause
      overlay.rollBack()
      return cause
    }
  }

  #call({ method, argument = '0x' }: RuntimeCall, overlay: Overlay): Hex {
    const depth = overlay.depth
    this.#instance ??= new Instance(this.#module)
    try {
      const result = this.#instance.call(method, bytesOf(argument), overlay)
      if (overlay.depth !== depth) throw new RuntimeTrap('the runtime left a transaction open')
      return hexOf(result)
    } catch (cause) {
      this.#instance = undefined // its stack is as the trap left it
      while (overlay.depth > depth) overlay.rollBack()
      throw cause
    }
  }
}

/** Runs now and tells later: what it returned, or what it threw. */
function settled<T>(run: () => T): () => T {
  try {
    const value = run()
    return () => value
  } catch (cause) {
    return () => {
      throw cause
    }
  }
}

/** A runtime with a memory, which is as new before each call. */
class Instance {
  readonly #host: Host
  readonly #exports: WebAssembly.Exports
  readonly #heapBase: number
  /** Everything below the heap, as it was at first. */
  readonly #initial: Buffer

  constructor(module: WebAssembly.Module) {
    const heap = new Heap()
    this.#host = { heap, overlay: new Overlay(NOTHING), lastWords: '', versionOf: embeddedVersion }
    this.#exports = instantiate(module, { memory: heap.memory, ...hostFunctions(this.#host) })
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

/** What the chain asks before it takes a new code. */
function embeddedVersion(code: Uint8Array): Uint8Array | undefined {
  try {
    return new Instance(new WebAssembly.Module(wasmOf(code))).call(
      'Core_version',
      new Uint8Array(),
      new Overlay(NOTHING),
    )
  } catch {
    return undefined // no code that could run here
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
