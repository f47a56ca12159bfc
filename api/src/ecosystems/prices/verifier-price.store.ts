import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { LedgerEffect } from '../../ledger/write/ledger-events.js'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { lockByName } from '../../platform/database/lock-by-name.js'
import { json } from '../../platform/database/tables.js'
import { CHANGES_MAX, CURRENCIES_MAX, VERIFIERS_MAX } from './price.js'

import '../tables.js'

/** The price that one issuer asks of one verifier for one schema, in one currency. */
export interface Deal {
  registry_id: Hex32
  schema_id: Hex32
  issuer: Did
  verifier: Did
  currency: string
}

const DEPARTURES = 'service.verifier_prices'

/**
 * Locks such prices of a schema: others that set one at the same moment, or learn that somebody left, come before or
 * after.
 */
export async function lockDeals(tx: Tx, registry: Hex32, schema: Hex32): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${DEPARTURES}, 0)),
    pg_advisory_xact_lock(hashtextextended(${`${DEPARTURES} ${registry} ${schema}`}, 0))`.execute(tx)
}

const MOST = json({ currencies: CURRENCIES_MAX, verifiers: VERIFIERS_MAX, changes: CHANGES_MAX })

type Outcome = 'done' | 'absent' | 'currencies' | 'verifiers' | 'changes'

/**
 * Sets a price from `time` on; null: there is none any more. Any outcome but `done` names a limit that was met, or an
 * absent thing; nothing changed then.
 */
export async function setDeal(tx: Tx, team: TeamId, deal: Deal, digits: bigint | null, time: Date): Promise<Outcome> {
  const { rows } = await sql<{ outcome: Outcome }>`
    select service.set_deal(${team}, ${json({ ...deal })}::jsonb, ${digits?.toString() ?? null}::numeric,
      ${time}::timestamptz, ${MOST}::jsonb) as outcome`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('a function answers one row')
  return row.outcome
}

/**
 * Ends the prices for a verifier where it or the issuer leaves the schema: coming back does not bring them back. Also
 * ends those that were set after that block by a caller that did not know of it.
 */
export const endedDeals: LedgerEffect = {
  events: ['TrustRegistry.IssuerChanged', 'TrustRegistry.VerifierChanged'],
  async apply(tx, events) {
    const left = events.filter(({ after }) => after === null || after.listed === false)
    if (left.length === 0) return
    // A price that is set at this moment is visible below, or its transaction sees behind its lock that the index no
    // longer has them.
    await lockByName(tx, DEPARTURES)
    const texts = (values: (string | null)[]) => sql`${values}::text[]`
    await sql`
      with gone as materialized (
        select * from unnest(${texts(left.map((event) => event.name))}, ${texts(left.map((event) => event.trust_registry_id))},
          ${texts(left.map((event) => event.schema_id))}, ${texts(left.map((event) => event.subject))},
          ${left.map(({ time }) => time.toISOString())}::timestamptz[]) as gone (name, registry_id, schema_id, did, time)
      ), ended as (
        select p.row_id, min(gone.time) as time from gone
        join service.verifier_prices p on p.registry_id = gone.registry_id and p.schema_id = gone.schema_id
          and case gone.name when 'TrustRegistry.IssuerChanged' then p.issuer else p.verifier end = gone.did
        where p.to_time is null group by p.row_id)
      update service.verifier_prices p set to_time = greatest(p.from_time, ended.time)
      from ended where p.row_id = ended.row_id`.execute(tx)
  },
}
