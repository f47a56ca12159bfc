import { ExtrinsicRefused } from '../blocks/submission.js'
import { type Hex, isHex } from '../store/store.js'
import { invalidParams } from './errors.js'

export type Params = readonly unknown[]

const MOST_KEYS = 1_000
/** The longest key that the runtime makes, of a service of a DID, has 354. */
const MOST_KEY_BYTES = 512

export function bytesParam(params: Params, position: number): Hex {
  const value = params[position]
  if (!isHex(value)) throw invalidParams(`parameter ${position + 1} must be hexadecimal with 0x`)
  return lower(value)
}

/** A storage key, or the beginning of one. */
export function keyParam(params: Params, position: number): Hex {
  const value = params[position]
  if (typeof value === 'string' && value.length > 2 + 2 * MOST_KEY_BYTES) {
    throw invalidParams(`parameter ${position + 1}: a key has at most ${MOST_KEY_BYTES} bytes`)
  }
  return bytesParam(params, position)
}

export function optionalKeyParam(params: Params, position: number): Hex | undefined {
  return isAbsent(params[position]) ? undefined : keyParam(params, position)
}

/** An extrinsic that fits into a block; a longer one is not even read. */
export function extrinsicParam(params: Params, position: number, mostBytes: number): Hex {
  const value = params[position]
  if (typeof value === 'string' && value.length > 2 + 2 * mostBytes) throw ExtrinsicRefused.tooLarge()
  return bytesParam(params, position)
}

export function optionalHashParam(params: Params, position: number): Hex | undefined {
  if (isAbsent(params[position])) return undefined
  const value = bytesParam(params, position)
  if (value.length !== 66) throw invalidParams(`parameter ${position + 1} must be a block hash`)
  return value
}

export function textParam(params: Params, position: number): string {
  const value = params[position]
  if (typeof value !== 'string') throw invalidParams(`parameter ${position + 1} must be text`)
  return value
}

/** Each key counts once: a thousand times the same large entry would be more than memory holds. */
export function keysParam(params: Params, position: number): Hex[] {
  const value = params[position]
  if (!Array.isArray(value) || value.length > MOST_KEYS) throw invalidParams(`at most ${MOST_KEYS} keys are answered`)
  return [...new Set(value.map((_, index) => keyParam(value, index)))]
}

export function countParam(params: Params, position: number): number {
  const value = params[position]
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MOST_KEYS) {
    throw invalidParams(`a page holds at most ${MOST_KEYS} keys`)
  }
  return value
}

/** Reads a block number as a number or, as some clients send it, in hexadecimal of any length. */
export function numberOf(value: unknown): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,8}$/i.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0) {
    throw invalidParams('a block number is a non-negative integer')
  }
  return number
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function lower(value: Hex): Hex {
  return `0x${value.slice(2).toLowerCase()}`
}
