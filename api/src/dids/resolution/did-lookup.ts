import { type Did, didKeyOf } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { isActiveDid, wasEverDid } from '../../ledger/read/dids/existence.js'
import { isConvener } from '../../ledger/read/registries/convener.js'
import type { Reader } from '../../platform/database/database.js'
import { invalid } from '../../platform/http/errors.js'
import { ownDid } from '../did.store.js'
import { didParam } from '../did-param.js'

export const isDidKey = (did: Did): boolean => didKeyOf(did) !== undefined

/** Tells whether the ledger has the DID and it was not deactivated. */
async function isActiveOnLedger(reader: Reader, did: string): Promise<boolean> {
  return holds(reader, isActiveDid(did))
}

/** Tells whether the ledger ever had the DID, or the reader's teams have it. */
export async function isTaken(reader: Reader, did: string): Promise<boolean> {
  return holds(reader, sql`exists (select from dids where did = ${did} and status <> 'failed') or ${wasEverDid(did)}`)
}

/** Tells whether the DID convenes a registry, or will do so once the accepted actions are on the ledger. */
export async function convenes(reader: Reader, did: string): Promise<boolean> {
  return holds(
    reader,
    sql`${isConvener(sql`${did}`)}
      or exists (select from trust_registries where convener = ${did} and state = 'pending')`,
  )
}

/**
 * Checks a DID that is to become a controller: a did:key, or one that is active on the ledger or on its way there as
 * the caller's.
 */
export async function readController(reader: Reader, text: string): Promise<Did> {
  const did = didParam(text, 'controller')
  if (isDidKey(did) || (await isActiveOnLedger(reader, did)) || (await ownDid(reader, did)) !== undefined) return did
  throw invalid('controller is not an active DID')
}

async function holds(reader: Reader, condition: RawBuilder<unknown>): Promise<boolean> {
  const result = await sql<{ holds: boolean }>`select ${condition} as holds`.execute(reader)
  return result.rows[0]?.holds ?? false
}
