import '../did.tables.js'
import { type Insertable, sql } from 'kysely'
import { isActiveDid } from '../../ledger/read/dids/existence.js'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { ServiceTables } from '../../platform/database/tables.js'
import { ApiError } from '../../platform/http/errors.js'

/**
 * A team submitted what the DID signed with a key that is not here. While no team has its keys here, and the ledger has
 * this key, the DID belongs to the team that submitted the latest such proof.
 */
export async function proveControl(tx: Tx, proof: Insertable<ServiceTables['did_proofs']>): Promise<void> {
  await tx
    .insertInto('did_proofs')
    .values(proof)
    .onConflict((conflict) => conflict.columns(['did', 'team_id', 'key_id']).doUpdateSet({ proved: proof.proved }))
    .execute()
}

/**
 * Tells whether the DID is the team's: the team has its keys here, or no team proved control of it, or forgot it, after
 * this one.
 */
export async function holdsDid(reader: Reader, team: TeamId, did: string): Promise<boolean> {
  const { rows } = await sql<{ holds: boolean }>`
    select exists (select service.held_among(${team}, array[${did}])) as holds`.execute(reader)
  return rows[0]?.holds ?? false
}

/** Tells whether the DID can act with its own key, not kept here, and no team proved control of it after this one. */
export async function keepsOwnKey(reader: Reader, team: TeamId, did: string): Promise<boolean> {
  const { rows } = await sql<{ keeps: boolean }>`
    select exists (select service.held_among(${team}, array[${did}]))
      and not exists (select from dids where did = ${did} and status not in ('failed', 'deleted'))
      and (${did}::text like 'did:key:%' or ${isActiveDid(did)}) as keeps`.execute(reader)
  return rows[0]?.keeps ?? false
}

/**
 * Returns the refusal for a DID that the team neither keeps here nor proved to be its own: it is another team's, or
 * nobody's.
 */
export const notYours = (): ApiError =>
  new ApiError(
    'not_found',
    'DID was not found among yours; one that keeps its own key is yours once you brought what it signed: see POST /ledger/actions/prepare',
  )
