/** A measured value, and the bound that it shall keep on two cores which do nothing else. */
export interface Figure {
  what: string
  /** Undefined where it could not be told from what the machine did besides. */
  value: number | undefined
  unit: string
  /** The value has to be below, or above, this one; none where nothing is wanted of it. */
  wanted?: { below: number } | { above: number }
  /** More about how it came about. */
  note?: string
}

/** Tells a figure in a line; one that misses its bound is told as missed, and fails nothing: machines differ. */
export function figureText({ what, value, unit, wanted, note }: Figure): string {
  const more = note === undefined ? '' : `, ${note}`
  if (value === undefined) return `${what}: cannot be told on this machine now${more}`
  const told = `${what}: ${shown(value)} ${unit}${more}`
  if (wanted === undefined) return told
  const bound = 'below' in wanted ? `below ${wanted.below}` : `above ${wanted.above}`
  const isKept = 'below' in wanted ? value < wanted.below : value > wanted.above
  return `${told} (wanted: ${bound} ${unit}${isKept ? '' : ', MISSED'})`
}

const shown = (value: number): string => value.toFixed(Math.abs(value) < 100 ? 1 : 0)
