import { type RawBuilder, sql } from 'kysely'
import type { LedgerEffect } from '../ledger/ledger-events.js'
import type { Tx } from '../platform/database/database.js'
import type { Sweep } from '../platform/sweep.js'
import { JOB } from './ecosystems.jobs.js'

/** An acceptance is there when its rights are, in whatever calls their convener signed them and together with what. */
export const acceptancesTaken: LedgerEffect = {
  events: [
    'TrustRegistry.IssuerChanged',
    'TrustRegistry.VerifierChanged',
    'TrustRegistry.IssuerSuspended',
    'TrustRegistry.VerifierSuspended',
  ],
  async apply(tx, events) {
    const registries = [...new Set(events.flatMap(({ trust_registry_id: id }) => id ?? []))]
    await takeAcceptances(tx, sql<boolean>`j.subject = any(${registries}::text[])`)
  },
}

/** Goes before what gives up: nothing fails as not signed that is on the ledger. */
export const sweepAcceptances: Sweep = ({ db, clock }) =>
  db.transaction('system', (tx) => takeAcceptances(tx, sql<boolean>`a.expires <= ${clock.now()}`))

async function takeAcceptances(tx: Tx, which: RawBuilder<boolean>): Promise<void> {
  await sql`
    with taken as (
      select a.id, greatest(a.waits_from, f.height) as height
      from service.ledger_actions a join service.jobs j on j.id = a.job_id
      cross join lateral (
        select max(g.from_block) as height, count(*) as count from (
          select from_block from ledger.issuer where registry_id = j.subject and did = j.data ->> 'did'
            and to_block is null and j.data -> 'issuer' ? schema_id
          union all
          select from_block from ledger.verifier where registry_id = j.subject and did = j.data ->> 'did'
            and to_block is null and j.data -> 'verifier' ? schema_id) g) f
      where a.state = 'waiting' and j.kind = ${JOB.accept} and ${which}
        and greatest(a.waits_from, f.height) <= (select max(height) from ledger.finality)
        and f.count = jsonb_array_length(j.data -> 'issuer') + jsonb_array_length(j.data -> 'verifier')
        and ((j.data ->> 'suspends')::boolean is false or exists (
          select from ledger.suspension s
          where s.registry_id = j.subject and s.did = j.data ->> 'did' and s.to_block is null)))
    update service.ledger_actions a
    set state = 'included', block_height = b.height, block_hash = b.hash,
      outcome = jsonb_build_object('blockHeight', b.height, 'blockHash', b.hash)
    from taken join ledger.block b on b.height = taken.height
    where a.id = taken.id and a.state = 'waiting'`.execute(tx)
}
