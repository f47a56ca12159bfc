import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { LedgerEffect } from '../ledger/ledger-events.js'
import type { Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/ids.js'

import './tables.js'

/** What one issuer asks of one verifier for one schema. */
export interface Deal {
  registry_id: Hex32
  schema_id: Hex32
  issuer: Did
  verifier: Did
}

/** Locks a deal against other changes, and returns the currencies in which it has a price. */
export async function lockDeal(tx: Tx, deal: Deal): Promise<Set<string>> {
  const { registry_id, schema_id, issuer, verifier } = deal
  const lock = `service.verifier_prices ${registry_id} ${schema_id} ${issuer} ${verifier}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx)
  const { rows } = await sql<{ currency: string }>`
    select currency from (
      select distinct on (currency) currency, digits from service.verifier_prices
      where registry_id = ${registry_id} and schema_id = ${schema_id} and issuer = ${issuer} and verifier = ${verifier}
      order by currency, from_time desc, row_id desc) newest
    where digits is not null`.execute(tx)
  return new Set(rows.map(({ currency }) => currency))
}

/** From `time` on; null: not priced any more. */
export async function insertDealPrice(
  tx: Tx,
  deal: Deal,
  price: { currency: string; digits: bigint | null; team_id: TeamId; time: Date },
): Promise<void> {
  const { currency, digits, team_id, time: from_time } = price
  await tx
    .insertInto('verifier_prices')
    .values({ ...deal, currency, digits: digits?.toString() ?? null, team_id, from_time })
    .execute()
}

/** What was asked of a verifier ends where it or the issuer leaves the schema: coming back does not bring it back. */
export const endedDeals: LedgerEffect = {
  events: ['TrustRegistry.IssuerChanged', 'TrustRegistry.VerifierChanged'],
  async apply(tx, events) {
    const left = events.filter(({ after }) => after === null || after.listed === false)
    if (left.length === 0) return
    const texts = (values: (string | null)[]) => sql`${values}::text[]`
    await sql`
      insert into service.verifier_prices (registry_id, schema_id, issuer, verifier, currency, from_time)
      select distinct registry_id, schema_id, issuer, verifier, currency, gone_time from (
        select distinct on (gone.n, p.issuer, p.verifier, p.currency) p.*, gone.time as gone_time
        from unnest(${texts(left.map((event) => event.name))}, ${texts(left.map((event) => event.trust_registry_id))},
          ${texts(left.map((event) => event.schema_id))}, ${texts(left.map((event) => event.subject))},
          ${left.map(({ time }) => time.toISOString())}::timestamptz[])
          with ordinality as gone (name, registry_id, schema_id, did, time, n)
        join service.verifier_prices p on p.registry_id = gone.registry_id and p.schema_id = gone.schema_id
          and case gone.name when 'TrustRegistry.IssuerChanged' then p.issuer else p.verifier end = gone.did
          and p.from_time <= gone.time
        order by gone.n, p.issuer, p.verifier, p.currency, p.from_time desc, p.row_id desc) newest
      where digits is not null`.execute(tx)
  },
}
