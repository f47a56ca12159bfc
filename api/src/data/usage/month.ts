/** A calendar month in UTC: `2026-01`. */
export interface Month {
  name: string
  /** Its first day, and that of the next month: `2026-01-01`, `2026-02-01`. */
  from: string
  to: string
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

function monthFrom(year: number, index: number): Month {
  const from = dayOf(new Date(Date.UTC(year, index, 1)))
  return { name: from.slice(0, 7), from, to: dayOf(new Date(Date.UTC(year, index + 1, 1))) }
}

export const monthOf = (instant: Date): Month => monthFrom(instant.getUTCFullYear(), instant.getUTCMonth())

export const monthBefore = (instant: Date): Month => monthFrom(instant.getUTCFullYear(), instant.getUTCMonth() - 1)

/** Reads `2026-01`; undefined for another text. */
export function parseMonth(text: string): Month | undefined {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text)
  const year = Number(match?.[1])
  return match && year >= 2000 ? monthFrom(year, Number(match[2]) - 1) : undefined
}
