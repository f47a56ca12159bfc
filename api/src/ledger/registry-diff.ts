import { type RawBuilder, sql } from 'kysely'
import type { At } from './at.js'
import type { LedgerRole } from './authorization.js'
import type { IndexReader } from './index-db.js'
import type { Listed } from './lists.js'
import { validAt } from './temporal.js'

/** In the order in which they are told. */
export const CHANGES = [
  'created',
  'removed',
  'nameChanged',
  'governanceChanged',
  'convenerChanged',
  'transferProposed',
  'schemaAdded',
  'schemaRemoved',
  'schemaOpened',
  'schemaClosed',
  'participantJoined',
  'participantLeft',
  'rightGained',
  'rightLost',
  'pricesChanged',
  'delegateAdded',
  'delegateRemoved',
  'suspended',
  'unsuspended',
] as const

/** One difference between a registry at two points, and the last event between them that made it. */
export interface RegistryChange {
  change: (typeof CHANGES)[number]
  did: string | null
  schemaId: string | null
  role: LedgerRole | null
  /** The issuer that delegated. */
  via: string | null
  before: unknown
  after: unknown
  event: string | null
  block: number | null
  time: Date | null
  actor: string | null
  keyId: number | null
}

export interface DiffSlice {
  from: Pick<At, 'block'>
  to: Pick<At, 'block'>
  first: number
  after?: string | undefined
}

/** What is different at `to` from what was so at `from`: whatever came and went between them is no difference. */
export async function registryDiff(
  { db }: { db: IndexReader },
  registryId: string,
  { from, to, first, after = '' }: DiffSlice,
): Promise<Listed<RegistryChange & { key: string }>> {
  const then = from.block
  const now = to.block
  const { rows } = await sql<RegistryChange & { key: string }>`
    with change (change, did, schema_id, role, via, before, after) as (
      ${sql.join([facts(registryId, then, now), schemas(registryId, then, now), participants(registryId, then, now), rights(registryId, then, now), standing(registryId, then, now)], sql` union all `)}
    ), page as (
      select c.*, concat_ws(' ', lpad(array_position(${[...CHANGES]}::text[], c.change)::text, 2, '0'),
        coalesce(c.schema_id, '-'), coalesce(c.role, '-'), coalesce(c.did, '-'), coalesce(c.via, '-')) collate "C" as key
      from change c
    ), asked as (select * from page where key > ${after} order by key limit ${first + 1})
    select a.change, a.did, a.schema_id as "schemaId", a.role, a.via, a.before, a.after, a.key,
      e.id as event, e.block, e.time, e.actor, e.key_id as "keyId"
    from asked a
      left join lateral (${eventOf(registryId, then, now)}) e on true
    order by a.key`.execute(db)
  return { list: rows.slice(0, first), hasMore: rows.length > first }
}

type Part = RawBuilder<unknown>

/** The rows of a table that were so at either point and not at both, joined by what they are about. */
function compared(table: string, columns: string, registryId: string, then: number, now: number): Part {
  const rows = (alias: string, block: number) => sql`(select * from ${sql.table(`ledger.${table}`)} ${sql.ref(alias)}
    where ${sql.ref(`${alias}.registry_id`)} = ${registryId} and ${validAt(alias, block)})`
  return sql`${rows('x', then)} a full join ${rows('y', now)} b using (${sql.raw(columns)}) where a.id is distinct from b.id`
}

function facts(registryId: string, then: number, now: number): Part {
  return sql`
    select v.change, null::text, null::text, null::text, null::text, v.before, v.after
    from (select a, b from ${compared('trust_registry', 'registry_id', registryId, then, now)}) r (a, b),
      lateral (values
        ('created', null::jsonb, case when (r.b).id is not null then jsonb_build_object('name', (r.b).name, 'govFramework', (r.b).gov_framework, 'convener', (r.b).convener) end, (r.a).id is null),
        ('removed', jsonb_build_object('name', (r.a).name, 'govFramework', (r.a).gov_framework, 'convener', (r.a).convener), null, (r.b).id is null),
        ('nameChanged', to_jsonb((r.a).name), to_jsonb((r.b).name), (r.a).name <> (r.b).name),
        ('governanceChanged', to_jsonb((r.a).gov_framework), to_jsonb((r.b).gov_framework), (r.a).gov_framework <> (r.b).gov_framework),
        ('convenerChanged', to_jsonb((r.a).convener), to_jsonb((r.b).convener), (r.a).convener <> (r.b).convener),
        ('transferProposed', to_jsonb((r.a).pending_convener), to_jsonb((r.b).pending_convener),
          (r.b).pending_convener is not null and (r.b).pending_convener is distinct from (r.a).pending_convener)
      ) v (change, before, after, is_so)
    where v.is_so`
}

function schemas(registryId: string, then: number, now: number): Part {
  return sql`
    select v.change, null, r.schema_id, null, null, to_jsonb((r.a).is_public), to_jsonb((r.b).is_public)
    from (select schema_id, a, b from ${compared('registry_schema', 'schema_id', registryId, then, now)}) r (schema_id, a, b),
      lateral (values
        ('schemaAdded', (r.a).id is null),
        ('schemaRemoved', (r.b).id is null),
        ('schemaOpened', (r.b).is_public and not coalesce((r.a).is_public, false)),
        ('schemaClosed', (r.a).is_public and not (r.b).is_public)
      ) v (change, is_so)
    where v.is_so`
}

/** Whoever is listed for anything, or a delegate. */
function participants(registryId: string, then: number, now: number): Part {
  const all = (block: number) => sql`(
    select i.did from ledger.issuer i where i.registry_id = ${registryId} and ${validAt('i', block)}
    union select v.did from ledger.verifier v where v.registry_id = ${registryId} and ${validAt('v', block)}
    union select d.delegate from ledger.delegation d where d.registry_id = ${registryId} and ${validAt('d', block)})`
  return sql`
    select case when a.did is null then 'participantJoined' else 'participantLeft' end, did, null, null, null, null::jsonb, null::jsonb
    from ${all(then)} a full join ${all(now)} b using (did) where a.did is null or b.did is null`
}

function rights(registryId: string, then: number, now: number): Part {
  return sql`
    select case when a.id is null then 'rightGained' when b.id is null then 'rightLost' else 'pricesChanged' end,
      did, schema_id, 'issuer', null, a.prices, b.prices
    from ${compared('issuer', 'schema_id, did', registryId, then, now)}
      and (a.id is null or b.id is null or a.prices <> b.prices)
    union all
    select case when a.id is null then 'rightGained' else 'rightLost' end, did, schema_id, 'verifier', null, null, null
    from ${compared('verifier', 'schema_id, did', registryId, then, now)} and (a.id is null or b.id is null)`
}

function standing(registryId: string, then: number, now: number): Part {
  return sql`
    select case when a.id is null then 'suspended' else 'unsuspended' end, did, null, null, null, null, null
    from ${compared('suspension', 'did', registryId, then, now)} and (a.id is null or b.id is null)
    union all
    select case when a.id is null then 'delegateAdded' else 'delegateRemoved' end, delegate, null, null, issuer, null, null
    from ${compared('delegation', 'issuer, delegate', registryId, then, now)} and (a.id is null or b.id is null)`
}

/** The block of the oldest of the places that a participant has now. */
function joinedAt(registryId: string, now: number): Part {
  return sql`select min(p.begun) from (
    select ledger.issuer_since(i.registry_id, i.schema_id, i.did, ${now}::int) as begun from ledger.issuer i
      where i.did = a.did and i.registry_id = ${registryId} and ${validAt('i', now)}
    union all select v.from_block from ledger.verifier v
      where v.did = a.did and v.registry_id = ${registryId} and ${validAt('v', now)}
    union all select d.from_block from ledger.delegation d
      where d.delegate = a.did and d.registry_id = ${registryId} and ${validAt('d', now)}) p`
}

/** By whom: the last event between the points that happened to what changed, and that made the change. */
function eventOf(registryId: string, then: number, now: number): Part {
  const between = sql`e.trust_registry_id = ${registryId} and e.block > ${then}::int and e.block <= ${now}::int`
  const last = sql`order by e.block desc, e.index desc limit 1`
  const name = (...names: string[]) => sql`e.name = any(${names.map((one) => `TrustRegistry.${one}`)}::text[])`
  const isNone = (column: string) =>
    sql`coalesce(nullif(${sql.ref(column)}, 'null'), '{"listed":false}') = '{"listed":false}'`
  const place = name('IssuerChanged', 'VerifierChanged')
  return sql`
    (select e.* from ledger.event e
      where a.did is not null and e.subject = a.did and ${between} and case a.change
        when 'participantJoined' then e.block = (${joinedAt(registryId, now)})
          and (${place} and ${isNone('e.before')} or ${name('DelegateAdded')})
        when 'participantLeft' then ${place} and ${isNone('e.after')} or ${name('DelegateRemoved')}
        when 'suspended' then ${name('IssuerSuspended', 'VerifierSuspended')}
        when 'unsuspended' then ${name('IssuerUnsuspended', 'VerifierUnsuspended')}
        when 'delegateAdded' then ${name('DelegateAdded')} and e.after->>'issuer' = a.via
        when 'delegateRemoved' then ${name('DelegateRemoved')} and e.before->>'issuer' = a.via
        else e.schema_id = a.schema_id
          and e.name = case a.role when 'issuer' then 'TrustRegistry.IssuerChanged' else 'TrustRegistry.VerifierChanged' end
          and case a.change when 'rightGained' then ${isNone('e.before')} when 'rightLost' then ${isNone('e.after')} else true end
      end ${last})
    union all
    (select e.* from ledger.event e
      where a.did is null and a.schema_id is not null and e.schema_id = a.schema_id and ${between} and case a.change
        when 'schemaAdded' then ${name('SchemaAdded')}
        when 'schemaRemoved' then ${name('SchemaRemoved')}
        else ${name('SchemaPublicSet')}
      end ${last})
    union all
    (select e.* from ledger.event e
      where a.did is null and a.schema_id is null and ${between} and case a.change
        when 'created' then ${name('TrustRegistryInitialized')}
        when 'removed' then ${name('TrustRegistryRemoved')}
        when 'nameChanged' then ${name('TrustRegistryUpdated')} and e.before->'name' <> e.after->'name'
        when 'governanceChanged' then ${name('TrustRegistryUpdated')} and e.before->'govFramework' <> e.after->'govFramework'
        when 'convenerChanged' then ${name('Transferred')}
        else ${name('TransferProposed')}
      end ${last})`
}
