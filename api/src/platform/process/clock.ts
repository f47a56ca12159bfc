import { readFileSync, statSync } from 'node:fs'

/** The only source of the present in this process. */
export interface Clock {
  now(): Date
}

/** The time as JSON-LD credentials of version 1.1 carry it: `2026-01-31T12:00:00Z`. */
export const toSeconds = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`

export const systemClock: Clock = { now: () => new Date() }

/** A clock moved by the milliseconds in a file, so that tests can travel. The file is read again when it changes. */
export function offsetClock(file: string): Clock {
  let readAt = -1
  let offsetMs = 0
  const refresh = (): void => {
    const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (modified === readAt) return
    readAt = modified
    const written = modified === 0 ? 0 : Number(readFileSync(file, 'utf8').trim() || '0')
    offsetMs = Number.isFinite(written) ? written : 0
  }
  return {
    now() {
      refresh()
      return new Date(Date.now() + offsetMs)
    },
  }
}
