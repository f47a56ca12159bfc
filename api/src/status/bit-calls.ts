import { calls, type EncodedCall, type Hex32, parseHex32 } from '@accredit/chain'
import type { RegistryRow } from './registry.store.js'
import type { StatusChange } from './status-method.js'

/** The most indexes that the ledger takes in a call. */
const INDEXES_PER_CALL = 1000

/** Ids in the table were checked when they were written. */
export function ledgerId(id: string): Hex32 {
  const hex = parseHex32(id)
  if (!hex) throw new Error(`${id} is not a registry id`)
  return hex
}

/** The calls that set and clear bits of a registry, in parts that the ledger can take. */
export function bitCalls({ id }: Pick<RegistryRow, 'id'>, { revoke, unrevoke }: StatusChange): EncodedCall[] {
  const registryId = ledgerId(id)
  return [
    ...inParts(revoke).map((part) => calls.revocation.setStatus({ registryId, revoke: part })),
    ...inParts(unrevoke).map((part) => calls.revocation.setStatus({ registryId, unrevoke: part })),
  ]
}

function inParts(indexes: readonly number[]): number[][] {
  const parts: number[][] = []
  for (let start = 0; start < indexes.length; start += INDEXES_PER_CALL)
    parts.push(indexes.slice(start, start + INDEXES_PER_CALL))
  return parts
}
