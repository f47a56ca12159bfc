import { waitReady } from '@polkadot/wasm-crypto'
import { Instance } from '../executor/instance.js'
import { Overlay } from '../executor/overlay.js'
import { wasmOf } from '../executor/wasm.js'
import { benchmarkFunctions } from './benchmark-host.js'
import { ScaleReader, scaleList, scaleText, scaleU32 } from './scale.js'

/** Of what the cost of a call depends. FRAME knows components by one letter. */
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
    const reader = this.#call('Benchmark_benchmark_metadata', Uint8Array.of(0))
    const pallets = reader.list(() => {
      const [pallet, instance] = [reader.text(), reader.text()]
      return reader.list(() => ({ pallet, instance, ...benchmark(reader) }))
    })
    return pallets.flat()
  }

  /** Runs a benchmark where its components have these values; `verify` has it look whether the call did its work. */
  run(of: Benchmark, at: readonly number[], repeats: number, { verify }: { verify: boolean }): Measurement[] {
    const components = of.components.map(({ letter }, position) =>
      Buffer.concat([Uint8Array.of(LETTERS.indexOf(letter)), scaleU32(at[position] ?? 0)]),
    )
    const names = [of.pallet, of.instance, of.name].map(scaleText)
    const rest = [scaleList(components), Uint8Array.of(Number(verify)), scaleU32(repeats)]
    const reader = this.#call('Benchmark_dispatch_benchmark', Buffer.concat([...names, ...rest]))
    if (reader.u8() === 1) throw new Error(`${of.pallet}::${of.name} at ${at}: ${reader.text()}`)
    return reader.list(() => batch(reader)).flat()
  }

  #call(method: string, argument: Uint8Array): ScaleReader {
    const empty = new Overlay({ get: () => undefined, nextKey: () => undefined })
    return new ScaleReader(this.#instance.call(method, argument, empty))
  }
}

function benchmark(reader: ScaleReader): Pick<Benchmark, 'name' | 'components'> {
  const name = reader.text()
  const components = reader.list(() => ({ letter: LETTERS.charAt(reader.u8()), low: reader.u32(), high: reader.u32() }))
  reader.list(() => [reader.text(), reader.text()]) // how proofs are estimated
  return { name, components }
}

function batch(reader: ScaleReader): Measurement[] {
  for (let name = 0; name < 3; name += 1) reader.text()
  return reader.list(() => {
    reader.list(() => [reader.u8(), reader.u32()])
    const nanoseconds = reader.u128()
    reader.u128() // of the state's root
    const [reads, , writes] = [reader.u32(), reader.u32(), reader.u32(), reader.u32(), reader.u32()]
    reader.list(() => [reader.bytes(), reader.u32(), reader.u32(), reader.u8()])
    return { nanoseconds, reads, writes }
  })
}
