import { invalidParams } from './rpc-errors.js'
import { type Hex, isHex } from './store.js'

export type Params = readonly unknown[]

const MOST_KEYS = 1_000

export function bytesParam(params: Params, position: number): Hex {
  const value = params[position]
  if (!isHex(value)) throw invalidParams(`parameter ${position + 1} must be hexadecimal with 0x`)
  return lower(value)
}

export function optionalBytesParam(params: Params, position: number): Hex | undefined {
  return params[position] === undefined || params[position] === null ? undefined : bytesParam(params, position)
}

export function optionalHashParam(params: Params, position: number): Hex | undefined {
  const value = optionalBytesParam(params, position)
  if (value !== undefined && value.length !== 66) throw invalidParams(`parameter ${position + 1} must be a block hash`)
  return value
}

export function textParam(params: Params, position: number): string {
  const value = params[position]
  if (typeof value !== 'string') throw invalidParams(`parameter ${position + 1} must be text`)
  return value
}

/** Each key once: a thousand times the same large entry would be more than memory holds. */
export function keysParam(params: Params, position: number): Hex[] {
  const value = params[position]
  if (!Array.isArray(value) || value.length > MOST_KEYS) throw invalidParams(`at most ${MOST_KEYS} keys are answered`)
  return [...new Set(value.map((_, index) => bytesParam(value, index)))]
}

export function countParam(params: Params, position: number): number {
  const value = params[position]
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MOST_KEYS) {
    throw invalidParams(`a page holds at most ${MOST_KEYS} keys`)
  }
  return value
}

/** A block number as a number or, as some clients send it, in hexadecimal of any length. */
export function numberOf(value: unknown): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,8}$/i.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0) {
    throw invalidParams('a block number is a non-negative integer')
  }
  return number
}

function lower(value: Hex): Hex {
  return `0x${value.slice(2).toLowerCase()}`
}
