import { type CallDescription, callHash, describeCalls, describedParams, didCallNamed, isCall } from '@accredit/chain'
import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'

/** Returns the hash of calls without the versions of registries that they follow; undefined where they follow none. */
export function unversionedHash(calls: readonly CallDescription[]): string | undefined {
  return calls.some(followsVersion) ? callHash(calls.map(unversioned)) : undefined
}

const followsVersion = (call: CallDescription): boolean =>
  isCall(call, 'trustRegistry.setSchemasMetadata') && call.parameters.expectedVersion !== null

function unversioned(call: CallDescription): Uint8Array {
  const named = didCallNamed(`${call.pallet}.${call.call}`)
  if (named === undefined) throw new Error('what a DID signs is no call of a DID')
  const { expectedVersion: _, ...others } = describedParams(call)
  return named.read(followsVersion(call) ? others : describedParams(call)).encoded
}

/**
 * Returns the ids of the actions that wait for a DID's signature of these calls, in any version of its registry. Asked
 * as the system, since they may be of any team.
 */
export async function pendingIds(reader: Reader, did: string, calls: readonly Uint8Array[]): Promise<string[]> {
  const unversionedIsSame = sql<boolean>`unversioned_hash = ${unversionedHash(describeCalls(calls)) ?? null}`
  const rows = await reader
    .selectFrom('ledger_actions')
    .select('id')
    .where('did', '=', did)
    .where('state', '=', 'waiting')
    .where((eb) => eb.or([eb('call_hash', '=', callHash(calls)), unversionedIsSame]))
    .execute()
  return rows.map(({ id }) => id)
}
