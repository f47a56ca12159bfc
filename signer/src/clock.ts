import { readFileSync } from 'node:fs'

/** The wall clock in ms since 1970. */
export type Clock = () => number

/** Adds the decimal number of ms in a file to the wall clock, where there is one: tests move time by writing to it. */
export function openClock(offsetFile: string | undefined): Clock {
  if (offsetFile === undefined) return Date.now
  return () => Date.now() + readOffset(offsetFile)
}

function readOffset(file: string): number {
  try {
    const offset = Number(readFileSync(file, 'utf8').trim())
    return Number.isFinite(offset) ? offset : 0
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
}
