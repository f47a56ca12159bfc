import type { ViewCall } from '@accredit/chain'
import type { Ledger } from '../ledger.js'

/** Asks a ledger a question about its registries, at a block or at its head. */
export async function ask<Answer>(ledger: Ledger, question: ViewCall<Answer>, block?: string): Promise<Answer> {
  const { method, params, decode } = question
  const result: unknown = await ledger.provider().send(method, block === undefined ? [...params] : [...params, block])
  if (typeof result !== 'string' || !result.startsWith('0x')) throw new TypeError('no bytes')
  return decode(`0x${result.slice(2)}`)
}
