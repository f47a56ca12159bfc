import { sql } from 'kysely'
import { isConvenerOf } from '../ledger/read/registries/convener.js'
import type { LedgerEffect } from '../ledger/write/ledger-events.js'
import { giveUpPending, pendingIn } from '../ledger/write/pending-actions.js'
import { tellTeams } from './events/tell-teams.js'
import { endedDeals } from './prices/verifier-price.store.js'

/** Ends the participants of a registry that anyone removed. Its slugs stay its own: its past is read by them. */
const removedRegistries: LedgerEffect = {
  events: ['TrustRegistry.TrustRegistryRemoved'],
  async apply(tx, events) {
    const removed = events.flatMap(({ trust_registry_id: id, time }) =>
      id === null ? [] : [{ id, time: time.toISOString() }],
    )
    await sql`
      update service.participants p set to_time = greatest(p.from_time, done.time)
      from unnest(${removed.map(({ id }) => id)}::text[], ${removed.map(({ time }) => time)}::timestamptz[]) as done (id, time)
      where p.registry_id = done.id and p.state = 'active' and p.to_time is null`.execute(tx)
  },
}

/** Gives listed DIDs their names by their profiles, also where nobody gave a name here. */
const namedByProfile: LedgerEffect = {
  events: ['TrustRegistry.IssuerChanged', 'TrustRegistry.VerifierChanged'],
  async apply(tx, events) {
    await sql`
      insert into service.names_due
      select array_agg(l.registry_id), array_agg(l.did)
      from (select distinct * from unnest(${events.map(({ trust_registry_id: id }) => id)}::text[],
        ${events.map(({ subject }) => subject)}::text[]) as e (registry_id, did)) l
      where not exists (select from service.display_names s where s.did = l.did and s.registry_id = l.registry_id)
      having count(*) > 0`.execute(tx)
  },
}

const NOT_ITS_CONVENER = {
  type: 'convener_changed',
  message: 'The trust registry got another convener, or was removed, before its convener signed: ask again',
}

/** Gives up actions that wait for the signature of a DID that convenes no longer. */
const changedConveners: LedgerEffect = {
  events: ['TrustRegistry.TrustRegistryInitialized', 'TrustRegistry.Transferred', 'TrustRegistry.TrustRegistryRemoved'],
  async apply(tx, events) {
    const registries = [...new Set(events.flatMap(({ trust_registry_id: id }) => id ?? []))]
    const { rows } = await sql<{ id: string }>`
      select distinct a.job_id as id from service.ledger_actions a
      where a.state = 'waiting' and ${pendingIn(registries)}
        and not ${isConvenerOf(sql.ref('a.did'), sql.ref('a.waits_in'))}`.execute(tx)
    await giveUpPending(
      tx,
      rows.map(({ id }) => id),
      NOT_ITS_CONVENER,
    )
  },
}

export const ecosystemLedgerEffects: readonly LedgerEffect[] = [
  removedRegistries,
  namedByProfile,
  changedConveners,
  endedDeals,
  tellTeams,
]
