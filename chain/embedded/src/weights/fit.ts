/** What was measured where the components have certain values. */
export interface Sample {
  readonly at: readonly number[]
  readonly value: number
}

/** A base, and what one more of each component costs. */
export interface Line {
  readonly base: number
  readonly slopes: readonly number[]
}

/**
 * The line of least squares whose base and slopes are not negative: a component that seems to save is taken to cost nothing.
 * Where the base would be negative, as with what grows faster than its components, the line goes through the least that was
 * measured, or through zero.
 */
export function fitLine(samples: readonly Sample[]): Line {
  const count = samples[0]?.at.length ?? 0
  let used = Array.from({ length: count }, (_, position) => position)
  for (;;) {
    const fitted = leastSquares(samples, used)
    const saves = used.filter((_, index) => (fitted.slopes[index] ?? 0) < 0)
    if (saves.length > 0) {
      used = used.filter((position) => !saves.includes(position))
      continue
    }
    const { base, slopes } = fitted.base < 0 ? anchored(samples, used) : fitted
    const slopeOf = (position: number) => Math.max(slopes[used.indexOf(position)] ?? 0, 0)
    return { base, slopes: Array.from({ length: count }, (_, position) => slopeOf(position)) }
  }
}

/** The line, its slopes turned up so far that it is not below this sample: what it says of curves is enough at their end. */
export function notBelow(line: Line, { at, value }: Sample): Line {
  const grown = along(line.slopes, at)
  if (valueAt(line, at) >= value || grown === 0) return line
  const factor = (value - line.base) / grown
  return { base: line.base, slopes: line.slopes.map((slope) => slope * factor) }
}

/** Whole numbers that are nowhere below what was counted. */
export function coverCounts(samples: readonly Sample[]): Line {
  const slopes = fitLine(samples).slopes.map(Math.round)
  const rest = samples.map(({ at, value }) => value - along(slopes, at))
  return { base: Math.max(0, ...rest), slopes }
}

/** What a line says for these values of its components. */
export function valueAt({ base, slopes }: Line, at: readonly number[]): number {
  return base + along(slopes, at)
}

/** The half of the values in the middle: what else the machine did shows at the ends. */
export function middleHalf(values: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b)
  const quarter = Math.floor(sorted.length / 4)
  return sorted.slice(quarter, sorted.length - quarter)
}

function along(slopes: readonly number[], at: readonly number[]): number {
  return slopes.reduce((sum, slope, position) => sum + slope * (at[position] ?? 0), 0)
}

function anchored(samples: readonly Sample[], used: readonly number[]): Line {
  const least = samples.reduce((a, b) => (b.value < a.value ? b : a))
  const { slopes } = through(least, samples, used)
  const base = least.value - slopes.reduce((sum, slope, index) => sum + slope * (least.at[used[index] ?? 0] ?? 0), 0)
  return base < 0 ? through({ at: [], value: 0 }, samples, used) : { base, slopes }
}

function through(point: Sample, samples: readonly Sample[], used: readonly number[]): Line {
  const moved = samples.map(({ at, value }) => ({
    at: used.map((position) => (at[position] ?? 0) - (point.at[position] ?? 0)),
    value: value - point.value,
  }))
  return {
    base: 0,
    slopes: solved(
      moved.map(({ at }) => at),
      moved,
    ),
  }
}

function leastSquares(samples: readonly Sample[], used: readonly number[]): Line {
  const rows = samples.map(({ at }) => [1, ...used.map((position) => at[position] ?? 0)])
  const [base = 0, ...slopes] = solved(rows, samples)
  return { base, slopes }
}

/** Solves the normal equations; each column is scaled, as components are of very different size. */
function solved(rows: readonly (readonly number[])[], samples: readonly Sample[]): number[] {
  const width = rows[0]?.length ?? 0
  const scales = Array.from({ length: width }, (_, column) =>
    Math.max(1, ...rows.map((row) => Math.abs(row[column] ?? 0))),
  )
  const scaled = rows.map((row) => row.map((value, column) => value / (scales[column] ?? 1)))
  const sum = (of: (row: readonly number[], index: number) => number) =>
    scaled.reduce((total, row, index) => total + of(row, index), 0)
  const columns = [...scales.keys()]
  const matrix = columns.map((left) => [
    ...columns.map((right) => sum((row) => (row[left] ?? 0) * (row[right] ?? 0))),
    sum((row, index) => (row[left] ?? 0) * (samples[index]?.value ?? 0)),
  ])
  return eliminated(matrix).map((value, column) => value / (scales[column] ?? 1))
}

/** Gauss and Jordan, by the largest pivot; what the samples say nothing about is 0. */
function eliminated(matrix: number[][]): number[] {
  for (const [column] of matrix.entries()) {
    const candidates = matrix.slice(column)
    const best = candidates.reduce((a, b) => (Math.abs(b[column] ?? 0) > Math.abs(a[column] ?? 0) ? b : a))
    matrix.splice(matrix.indexOf(best), 1)
    matrix.splice(column, 0, best)
    const pivot = best[column] ?? 0
    if (Math.abs(pivot) < 1e-9) continue
    for (const row of matrix) {
      if (row === best) continue
      const factor = (row[column] ?? 0) / pivot
      for (let at = column; at < row.length; at += 1) row[at] = (row[at] ?? 0) - factor * (best[at] ?? 0)
    }
  }
  return matrix.map((row, column) => {
    const pivot = row[column] ?? 0
    return Math.abs(pivot) < 1e-9 ? 0 : (row.at(-1) ?? 0) / pivot
  })
}
