import { waitReady } from '@polkadot/wasm-crypto'
import { Bytes, bool, type CodecType, Result, Struct, str, Tuple, u8, u32, u128, Vector } from 'scale-ts'
import { Instance } from '../executor/instance.js'
import { Overlay } from '../executor/overlay.js'
import { wasmOf } from '../executor/wasm.js'
import { benchmarkFunctions } from './benchmark-host.js'

/** A component that the cost of a call depends on. FRAME knows components by one letter. */
export interface Component {
  readonly letter: string
  readonly low: number
  readonly high: number
}

export interface Benchmark {
  /** The pallet's crate, and its name in the runtime. */
  readonly pallet: string
  readonly instance: string
  readonly name: string
  readonly components: readonly Component[]
}

export interface Measurement {
  readonly nanoseconds: number
  readonly reads: number
  readonly writes: number
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

const BenchmarkList = Vector(
  Struct({
    pallet: str,
    instance: str,
    benchmarks: Vector(
      Struct({ name: str, components: Vector(Tuple(u8, u32, u32)), proofSizeModes: Vector(Tuple(str, str)) }),
    ),
  }),
)
/**
 * The pallet, the instance, the benchmark, the values of its components, whether to verify, and how often to repeat.
 */
const DispatchArguments = Tuple(str, str, str, Vector(Tuple(u8, u32)), bool, u32)
const BenchmarkResult = Struct({
  components: Vector(Tuple(u8, u32)),
  nanoseconds: u128,
  storageRootNanoseconds: u128,
  reads: u32,
  repeatedReads: u32,
  writes: u32,
  repeatedWrites: u32,
  proofSize: u32,
  keys: Vector(Tuple(Bytes(), u32, u32, bool)),
})
const DispatchOutcome = Result(
  Vector(Struct({ pallet: str, instance: str, name: str, results: Vector(BenchmarkResult) })),
  str,
)

/** A runtime that was compiled with its benchmarks. */
export class BenchmarkRuntime {
  readonly #instance: Instance

  private constructor(instance: Instance) {
    this.#instance = instance
  }

  static async of(code: Uint8Array): Promise<BenchmarkRuntime> {
    await waitReady()
    return new BenchmarkRuntime(new Instance(await WebAssembly.compile(wasmOf(code)), benchmarkFunctions))
  }

  benchmarks(): Benchmark[] {
    const pallets = BenchmarkList.dec(this.#call('Benchmark_benchmark_metadata', bool.enc(false)))
    return pallets.flatMap(({ pallet, instance, benchmarks }) =>
      benchmarks.map(({ name, components }) => ({ pallet, instance, name, components: components.map(componentOf) })),
    )
  }

  /** Runs a benchmark where its components have these values; `verify` has it check that the call did its work. */
  run(of: Benchmark, at: readonly number[], repeats: number, { verify }: { verify: boolean }): Measurement[] {
    const components = of.components.map(({ letter }, position): [number, number] => [
      LETTERS.indexOf(letter),
      at[position] ?? 0,
    ])
    const argument = DispatchArguments.enc([of.pallet, of.instance, of.name, components, verify, repeats])
    const outcome = DispatchOutcome.dec(this.#call('Benchmark_dispatch_benchmark', argument))
    if (!outcome.success) throw new Error(`${of.pallet}::${of.name} at ${at}: ${outcome.value}`)
    return outcome.value.flatMap(({ results }) => results.map(measurementOf))
  }

  #call(method: string, argument: Uint8Array): Uint8Array {
    const empty = new Overlay({ get: () => undefined, nextKey: () => undefined })
    return this.#instance.call(method, argument, empty)
  }
}

const componentOf = ([letter, low, high]: [number, number, number]): Component => ({
  letter: LETTERS.charAt(letter),
  low,
  high,
})

const measurementOf = ({ nanoseconds, reads, writes }: CodecType<typeof BenchmarkResult>): Measurement => ({
  nanoseconds: Number(nanoseconds),
  reads,
  writes,
})
