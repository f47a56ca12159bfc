import { waitReady } from '@polkadot/wasm-crypto'
import { bytesOf, type Hex, hexOf, type StateChanges } from '../store/store.js'
import { Instance, RuntimeTrap } from './instance.js'
import { type Beneath, Overlay } from './overlay.js'
import { Reading, type StateView } from './reading.js'
import { wasmOf } from './wasm.js'

export { RuntimeTrap } from './instance.js'
export type { StateView } from './reading.js'

/** One call of the runtime: an exported function and its SCALE-encoded argument. */
export interface RuntimeCall {
  readonly method: string
  readonly argument?: Hex
  /**
   * Makes the call an attempt: it leaves nothing in the state where this function says so about its result, or it
   * trapped.
   */
  readonly undoIf?: (result: Hex) => boolean
}

export interface RuntimeOutcome {
  /** The SCALE bytes that the last call returned that was no attempt. */
  readonly result: Hex
  /** The results of the attempts, in order. */
  readonly attempts: readonly (Hex | RuntimeTrap)[]
  readonly changes: StateChanges
}

/**
 * A runtime code, compiled once, and run by this process's own JavaScript engine. The executor of chopsticks, which
 * tests compare this one with, compiles the code again for every call, 44 ms each, and cannot undo a call that was
 * refused.
 */
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
   * Runs the calls in order over one state, and again until they have seen it completely: effects of earlier runs, a
   * trap too, may come from entries that they did not see.
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

/** Runs now and returns the result or throws the error later. */
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
