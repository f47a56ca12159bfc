// Measures the benchmarks of a runtime in the executor of the embedded ledger; scripts/measure-weights calls it.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { type Benchmark, BenchmarkRuntime, type Component, type Measurement } from './benchmarks.js'
import { coverCounts, fitLine, middleHalf, notBelow, type Sample, valueAt } from './fit.js'
import { type CallCost, weightsSource } from './rust-source.js'

interface Settings {
  readonly runtime: string
  /** The folder with a folder for each pallet. */
  readonly pallets: string
  readonly steps: number
  readonly repeats: number
}

/** Values of one component from its least to its most. */
function stepsOf({ low, high }: Component, steps: number): number[] {
  const values = Array.from({ length: steps }, (_, step) => Math.round(low + ((high - low) * step) / (steps - 1)))
  return [...new Set(values)]
}

/**
 * Chooses the points to measure: along each component while the others have their most, and where all have their least.
 */
function pointsOf({ components }: Benchmark, steps: number): number[][] {
  const most = mostOf(components)
  const points = components.flatMap((component, position) =>
    stepsOf(component, steps).map((value) => most.map((other, at) => (at === position ? value : other))),
  )
  const unique = new Map([components.map(({ low }) => low), most, ...points].map((point) => [point.join(), point]))
  return [...unique.values()]
}

function mostOf(components: readonly Component[]): number[] {
  return components.map(({ high }) => high)
}

function costOf(benchmark: Benchmark, runtime: BenchmarkRuntime, { steps, repeats }: Settings): CallCost {
  const points = pointsOf(benchmark, steps)
  // Each point runs once before the clock counts: it finds the code and the memory as a running ledger has them.
  for (const at of points) runtime.run(benchmark, at, 1, { verify: true })
  const measured = points.map((at) => ({ at, runs: runtime.run(benchmark, at, repeats, { verify: false }) }))
  const samples = (values: (runs: readonly Measurement[]) => readonly number[]): Sample[] =>
    measured.flatMap(({ at, runs }) => values(runs).map((value) => ({ at, value })))
  const times = samples((runs) => middleHalf(runs.map(({ nanoseconds }) => nanoseconds)))
  const all = times.map(({ value }) => value)
  const most = mostOf(benchmark.components)
  const cost: CallCost = {
    name: benchmark.name,
    components: benchmark.components,
    time: notBelow(fitLine(times), { at: most, value: mean(times.filter(({ at }) => at.join() === most.join())) }),
    reads: coverCounts(samples((runs) => runs.map(({ reads }) => reads))),
    writes: coverCounts(samples((runs) => runs.map(({ writes }) => writes))),
    range: [Math.min(...all), Math.max(...all)],
  }
  print(benchmark, cost)
  return cost
}

const mean = (samples: readonly Sample[]) => samples.reduce((sum, { value }) => sum + value, 0) / samples.length

/** Prints the cost of the call for its largest arguments. */
function print({ pallet, components }: Benchmark, { name, time, reads, writes }: CallCost): void {
  const most = mostOf(components)
  const milliseconds = Math.round(valueAt(time, most) / 1_000) / 1_000
  const figures = {
    call: `${pallet}::${name}`,
    milliseconds,
    reads: valueAt(reads, most),
    writes: valueAt(writes, most),
  }
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}

async function measure(settings: Settings): Promise<void> {
  const runtime = await BenchmarkRuntime.of(readFileSync(settings.runtime))
  const benchmarks = runtime.benchmarks()
  for (const pallet of new Set(benchmarks.map((benchmark) => benchmark.pallet))) {
    const own = benchmarks.filter((benchmark) => benchmark.pallet === pallet)
    const calls = own.map((benchmark) => costOf(benchmark, runtime, settings))
    const folder = pallet.replace(/^pallet_/, '').replaceAll('_', '-')
    writeFileSync(`${settings.pallets}/${folder}/src/weights.rs`, weightsSource(how(settings), calls))
  }
}

function how({ steps, repeats }: Settings): string[] {
  return [
    `on ${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model ?? 'a processor without a name'}`,
    `in the executor of the embedded ledger, Node ${process.versions.node} (V8 ${process.versions.v8})`,
    `by scripts/measure-weights ${steps} ${repeats}: ${steps} steps of each component, ${repeats} repeats of each`,
    'times are of the processor, fitted by least squares; a fit below the time measured at the most is raised to it',
  ]
}

const [runtime, pallets, steps = '8', repeats = '20'] = process.argv.slice(2)
if (!runtime || !pallets) throw new Error('usage: main.js RUNTIME PALLETS [STEPS [REPEATS]]')
await measure({ runtime, pallets, steps: Number(steps), repeats: Number(repeats) })
