import { type RawBuilder, sql } from 'kysely'
import type { LedgerEffect } from '../../ledger/write/ledger-events.js'
import {
  giveUpUnsigned,
  matchDispatched,
  pendingIn,
  pendingOf,
  type WhichPending,
} from '../../ledger/write/pending-actions.js'
import { wakeWorker } from '../../ledger/write/wake.js'
import type { Tx } from '../../platform/database/database.js'
import type { Sweep } from '../../platform/process/sweep.js'

const DISPATCHED = 'Did.Dispatched'

/**
 * Ends what waits for a convener that signed elsewhere: what it dispatched as it was asked for, by DID and call hash.
 * What its own tool brought about by other calls, or bundled, has another hash, and is known by what the ledger says of
 * the registry.
 */
export const matchSigned: LedgerEffect = {
  // Every call that changes anything which can wait has at least one of them.
  events: [
    DISPATCHED,
    'TrustRegistry.TrustRegistryInitialized',
    'TrustRegistry.TrustRegistryUpdated',
    'TrustRegistry.SchemasMetadataSet',
    'TrustRegistry.IssuerSuspended',
    'TrustRegistry.IssuerUnsuspended',
    'TrustRegistry.VerifierSuspended',
    'TrustRegistry.VerifierUnsuspended',
    'TrustRegistry.DelegateAdded',
    'TrustRegistry.DelegateRemoved',
    'TrustRegistry.TrustRegistryRemoved',
  ],
  async apply(tx, events) {
    const dispatching = events.flatMap(({ name, actor }) => (name === DISPATCHED ? actor : []))
    const changed = events.flatMap(({ trust_registry_id: id, block }) => (id === null ? [] : [{ id, block }]))
    const ids = changed.map(({ id }) => id)
    const points = sql`
      select distinct id, block from unnest(${ids}::text[], ${changed.map(({ block }) => block)}::int[]) as changed (id, block)`
    // Every block has dispatches; those of most say nothing of a registry.
    wakeFor(tx, [
      dispatching.length > 0 ? await matchDispatched(tx, pendingOf(dispatching)) : 0n,
      ids.length > 0 ? await matchState(tx, pendingIn(ids), points) : 0n,
    ])
  },
}

/**
 * Looks at what was just asked for, whose block the follower may have told before it was stored, and at what ends now:
 * it fails as not signed when the ledger does not have it, as far as the index knows the ledger.
 */
export const sweepPendingSignatures: Sweep = async ({ db, clock, index }) => {
  // The index is asked first: what comes to it after that is not given up.
  const { lagMs } = await index.head()
  const now = clock.now()
  const which: WhichPending = sql`(a.expires <= ${now} or a.created > now() - interval '2 minutes')`
  const points = sql`
    select distinct waits_in as id, (
      select least((select max(height) from ledger.finality), (select max(height) from ledger.block))) as block from pending`
  await db.transaction('system', async (tx) => {
    wakeFor(tx, [await matchDispatched(tx, which), await matchState(tx, which, points)])
    await giveUpUnsigned(tx, new Date(now.getTime() - lagMs))
  })
}

function wakeFor(tx: Tx, matched: readonly bigint[]): void {
  if (matched.some((count) => count > 0n)) tx.afterCommit(wakeWorker)
}

/** Rows `(id, block)`: a registry as it was at a block. May read `pending`. */
type Points = RawBuilder<unknown>

const at = sql`x.from_block <= p.block and (x.to_block is null or x.to_block > p.block)`

/** Tells in SQL whether the expected change `f` of the waiting action `w` is there at point `p`. */
const holds = sql`case f.of
  when 'registry' then exists (select from ledger.trust_registry x where x.registry_id = w.waits_in and ${at}
    and x.convener = f.convener and x.name = f.name and x.gov_framework = f.governance)
  when 'removed' then exists (select from ledger.trust_registry x where x.registry_id = w.waits_in and x.from_block <= p.block)
    and not exists (select from ledger.trust_registry x where x.registry_id = w.waits_in and ${at})
  when 'schema' then f.holds = exists (select from ledger.registry_schema x
    where x.registry_id = w.waits_in and x.schema_id = f.schema and ${at})
  when 'public' then f.holds = exists (select from ledger.registry_schema x
    where x.registry_id = w.waits_in and x.schema_id = f.schema and x.is_public and ${at})
  when 'issuer' then f.holds = exists (select from ledger.issuer x
    where x.registry_id = w.waits_in and x.schema_id = f.schema and x.did = f.did and ${at})
  when 'verifier' then f.holds = exists (select from ledger.verifier x
    where x.registry_id = w.waits_in and x.schema_id = f.schema and x.did = f.did and ${at})
  when 'prices' then exists (select from ledger.issuer x
    where x.registry_id = w.waits_in and x.schema_id = f.schema and x.did = f.did and x.prices = f.prices and ${at})
  when 'price' then f.price is not distinct from (select x.prices ->> f.currency from ledger.issuer x
    where x.registry_id = w.waits_in and x.schema_id = f.schema and x.did = f.did and ${at})
  when 'suspended' then f.holds = exists (select from ledger.suspension x
    where x.registry_id = w.waits_in and x.did = f.did and ${at})
  when 'delegate' then f.holds = exists (select from ledger.delegation x
    where x.registry_id = w.waits_in and x.issuer = f.did and x.delegate = f.delegate and ${at})
  else false end`

/** Ends those of whose expected changes all are there at a point, as of the first such block; returns how many. */
async function matchState(tx: Tx, which: WhichPending, points: Points): Promise<bigint> {
  const { numAffectedRows = 0n } = await sql`
    with pending as materialized (
      select a.id, a.waits_in, a.waits_from as since, a.action -> 'wants' as wants from service.ledger_actions a
      where a.state = 'waiting' and ${which}),
    done as (
      select w.id, min(p.block) as block
      from pending w join (${points}) p on p.id = w.waits_in and p.block >= w.since
      where w.wants is not null and not exists (
        select from jsonb_to_recordset(w.wants) as f (of text, convener text, name text, governance text,
          schema text, did text, holds boolean, prices jsonb, currency text, price text, delegate text)
        where not ${holds})
      group by w.id)
    update service.ledger_actions a
    set state = 'included', block_height = b.height, block_hash = b.hash,
      outcome = jsonb_build_object('blockHeight', b.height, 'blockHash', b.hash)
    from done join ledger.block b on b.height = done.block
    where a.id = done.id and a.state = 'waiting'`.execute(tx)
  return numAffectedRows
}
