import { Matrix, solve } from 'ml-matrix'

/** A value that was measured where the components have certain values. */
export interface Sample {
  readonly at: readonly number[]
  readonly value: number
}

/** A base, and the cost of one more of each component. */
export interface Line {
  readonly base: number
  readonly slopes: readonly number[]
}

/**
 * Fits the line of least squares whose base and slopes are not negative: a component that seems to save time counts as
 * free. The line goes through the least sample, or through zero, where the base would be negative, as it is for costs
 * that grow faster than their components.
 */
export function fitLine(samples: readonly Sample[]): Line {
  const count = samples[0]?.at.length ?? 0
  let used = Array.from({ length: count }, (_, position) => position)
  for (;;) {
    const [base = 0, ...fitted] = leastSquares(samples, (at) => [1, ...used.map((position) => at[position] ?? 0)])
    const saves = used.filter((_, index) => (fitted[index] ?? 0) < 0)
    if (saves.length > 0) {
      used = used.filter((position) => !saves.includes(position))
      continue
    }
    const { base: anchor, slopes } = base < 0 ? anchored(samples, used) : { base, slopes: fitted }
    const slopeOf = (position: number) => Math.max(slopes[used.indexOf(position)] ?? 0, 0)
    return { base: anchor, slopes: Array.from({ length: count }, (_, position) => slopeOf(position)) }
  }
}

/** Turns the slopes of a line up until it is not below this sample: so it bounds a curve at the curve's end. */
export function notBelow(line: Line, { at, value }: Sample): Line {
  const grown = along(line.slopes, at)
  if (valueAt(line, at) >= value || grown === 0) return line
  const factor = (value - line.base) / grown
  return { base: line.base, slopes: line.slopes.map((slope) => slope * factor) }
}

/** Fits a line of whole numbers that is nowhere below the counts. */
export function coverCounts(samples: readonly Sample[]): Line {
  const slopes = fitLine(samples).slopes.map(Math.round)
  const rest = samples.map(({ at, value }) => value - along(slopes, at))
  return { base: Math.max(0, ...rest), slopes }
}

/** Returns the line's value for these values of its components. */
export function valueAt({ base, slopes }: Line, at: readonly number[]): number {
  return base + along(slopes, at)
}

/** Leaves out the lowest and the highest quarter of the values: other work of the machine shows there. */
export function middleHalf(values: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b)
  const quarter = Math.floor(sorted.length / 4)
  return sorted.slice(quarter, sorted.length - quarter)
}

function along(slopes: readonly number[], at: readonly number[]): number {
  return slopes.reduce((sum, slope, position) => sum + slope * (at[position] ?? 0), 0)
}

/** Fits the line that goes through the least sample, or through zero where its base would be negative. */
function anchored(samples: readonly Sample[], used: readonly number[]): Line {
  const least = samples.reduce((a, b) => (b.value < a.value ? b : a))
  const slopes = through(least, samples, used)
  const grown = along(
    slopes,
    used.map((position) => least.at[position] ?? 0),
  )
  if (grown <= least.value) return { base: least.value - grown, slopes }
  return { base: 0, slopes: through({ at: [], value: 0 }, samples, used) }
}

function through(point: Sample, samples: readonly Sample[], used: readonly number[]): number[] {
  const moved = samples.map(({ at, value }) => ({ at, value: value - point.value }))
  return leastSquares(moved, (at) => used.map((position) => (at[position] ?? 0) - (point.at[position] ?? 0)))
}

/** The library's decomposition by singular values gives 0 where the samples decide nothing. */
function leastSquares(samples: readonly Sample[], columns: (at: readonly number[]) => number[]): number[] {
  const values = Matrix.columnVector(samples.map(({ value }) => value))
  return solve(new Matrix(samples.map(({ at }) => columns(at))), values, true).to1DArray()
}
