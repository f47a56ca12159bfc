import { type RawBuilder, sql } from 'kysely'
import type { At } from '../at.js'
import type { LedgerRole } from '../authorization.js'
import type { IndexReader } from '../index-db.js'
import { takesPartAt } from '../participants/participant-counts.js'
import type { Listed } from '../registries/registry-listings.js'
import { validAt } from '../temporal.js'
import { eventOf, type Points } from './change-event.js'

/** The kinds, in the order in which they are told. */
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
  'deactivated',
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

/** Returns the differences between a registry at `from` and at `to`, without those that came and went between them. */
export async function registryDiff(
  { db }: { db: IndexReader },
  registryId: string,
  { from, to, first, after = '' }: DiffSlice,
): Promise<Listed<RegistryChange & { key: string }>> {
  const between: Between = { registryId, earlier: from.block, later: to.block, after: placeOf(after), most: first + 1 }
  const { rows } = await sql<RegistryChange & { key: string }>`
    with change (change, did, schema_id, role, via, before, after) as (
      ${sql.join(partsOf(between), sql` union all `)}
    ), page as (
      select c.*, concat_ws(' ', lpad(array_position(${[...CHANGES]}::text[], c.change)::text, 2, '0'),
        coalesce(c.schema_id, '-'), coalesce(c.role, '-'), coalesce(c.did, '-'), coalesce(c.via, '-')) collate "C" as key
      from change c
    ), asked as (select * from page where key > ${after} order by key limit ${first + 1})
    select a.change, a.did, a.schema_id as "schemaId", a.role, a.via, a.before, a.after, a.key,
      e.id as event, e.block, e.time, e.actor, e.key_id as "keyId"
    from asked a
      left join lateral (${eventOf(between)}) e on true
    order by a.key`.execute(db)
  return { list: rows.slice(0, first), hasMore: rows.length > first }
}

type Part = RawBuilder<unknown>

/** The end of the page before: the number of its last change, and what that is about. */
interface Place {
  number: number
  about: [schema: string, role: string, did: string, via: string]
}

interface Between extends Points {
  after: Place
  /** The number of changes of a kind that are looked for; the page is among the first ones of each. */
  most: number
}

function placeOf(key: string): Place {
  const [number = '0', schema = '', role = '', did = '', via = ''] = key.split(' ')
  return { number: Number(number), about: [schema, role, did, via] }
}

const numberOf = (change: RegistryChange['change']): number => CHANGES.indexOf(change) + 1

/** The kinds of changes that come before the page are not looked for again. */
function partsOf(between: Between): Part[] {
  const parts: [RegistryChange['change'], Part][] = [
    ['schemaClosed', sql`${facts(between)} union all ${schemas(between)}`],
    ['participantJoined', participants('participantJoined', between)],
    ['participantLeft', participants('participantLeft', between)],
    ['rightGained', sql`${came('rightGained', ISSUER, between)} union all ${came('rightGained', VERIFIER, between)}`],
    ['rightLost', sql`${went('rightLost', ISSUER, between)} union all ${went('rightLost', VERIFIER, between)}`],
    ['pricesChanged', prices(between)],
    ['delegateAdded', came('delegateAdded', DELEGATE, between)],
    ['delegateRemoved', went('delegateRemoved', DELEGATE, between)],
    ['suspended', came('suspended', SUSPENDED, between)],
    ['unsuspended', went('unsuspended', SUSPENDED, between)],
    ['deactivated', deactivated(between)],
  ]
  return parts.filter(([last]) => numberOf(last) >= between.after.number).map(([, part]) => part)
}

/**
 * Selects a row that began between the points and is true at the later one, or was true at the earlier one and ended
 * between them.
 */
function began(row: string, { earlier, later }: Between): Part {
  return sql`${sql.ref(`${row}.from_block`)} > ${earlier} and ${validAt(row, later)}`
}

function ended(row: string, { earlier, later }: Between): Part {
  const to = sql.ref(`${row}.to_block`)
  return sql`${sql.ref(`${row}.from_block`)} <= ${earlier} and ${to} > ${earlier} and ${to} <= ${later}`
}

/** Selects the rows of a table that were true at one of the points only, joined by their subject. */
function compared(table: string, columns: string, between: Between): Part {
  const rows = (alias: string, fits: Part) => sql`(select * from ${sql.table(`ledger.${table}`)} ${sql.ref(alias)}
    where ${sql.ref(`${alias}.registry_id`)} = ${between.registryId} and ${fits})`
  return sql`${rows('x', ended('x', between))} a full join ${rows('y', began('y', between))} b using (${sql.raw(columns)})`
}

function facts(between: Between): Part {
  return sql`
    select v.change, null::text, null::text, null::text, null::text, v.before, v.after
    from (select a, b from ${compared('trust_registry', 'registry_id', between)}) r (a, b),
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

function schemas(between: Between): Part {
  return sql`
    select v.change, null, r.schema_id, null, null, to_jsonb((r.a).is_public), to_jsonb((r.b).is_public)
    from (select schema_id, a, b from ${compared('registry_schema', 'schema_id', between)}) r (schema_id, a, b),
      lateral (values
        ('schemaAdded', (r.a).id is null),
        ('schemaRemoved', (r.b).id is null),
        ('schemaOpened', (r.b).is_public and not coalesce((r.a).is_public, false)),
        ('schemaClosed', (r.a).is_public and not (r.b).is_public)
      ) v (change, is_so)
    where v.is_so`
}

/**
 * Selects, of the DIDs of which something began or ended, those that were listed, or delegates, at one of the points
 * only.
 */
function participants(change: 'participantJoined' | 'participantLeft', between: Between): Part {
  const { registryId, earlier, later, most } = between
  const [changed, elsewhen] =
    change === 'participantJoined' ? [began('c', between), earlier] : [ended('c', between), later]
  const those = (from: Part, did: string) => sql`(
    select ${sql.ref(did)} as did from ${from} and c.registry_id = ${registryId} and ${changed}
      and ${beyond(change, { did }, between)}
      and not ${takesPartAt(registryId, sql.ref(did), elsewhen)}
    order by ${sql.ref(did)} collate "C" limit ${most})`
  return sql`
    select ${change}, p.did, null, null, null, null::jsonb, null::jsonb
    from (${those(sql`ledger.listing c where c.part = 'any'`, 'c.did')}
      union ${those(sql`ledger.delegation c where true`, 'c.delegate')}) p`
}

/**
 * Selects the DIDs that ended between the points, of those that are listed or delegates at the later one: their events
 * tell this, since no registry does.
 */
function deactivated(between: Between): Part {
  const { registryId, earlier, later, most } = between
  const did = 'c.subject'
  return sql`(
    select 'deactivated', ${sql.ref(did)}, null, null, null, null::jsonb, null::jsonb
    from ledger.event c
    where c.name = 'Did.Deactivated' and c.block > ${earlier} and c.block <= ${later} and ${beyond('deactivated', { did }, between)}
      and ${takesPartAt(registryId, sql.ref(did), later)}
    order by ${sql.ref(did)} collate "C" limit ${most})`
}

/** The subject of rows that come and go one by one, as columns of `c`. */
interface Kind {
  table: 'issuer' | 'verifier' | 'delegation' | 'suspension'
  schema?: string
  role?: LedgerRole
  did: string
  via?: string
}

const ISSUER: Kind = { table: 'issuer', schema: 'c.schema_id', role: 'issuer', did: 'c.did' }
const VERIFIER: Kind = { table: 'verifier', schema: 'c.schema_id', role: 'verifier', did: 'c.did' }
const DELEGATE: Kind = { table: 'delegation', did: 'c.delegate', via: 'c.issuer' }
const SUSPENDED: Kind = { table: 'suspension', did: 'c.did' }

const columnOf = (name: string | undefined, none: Part): Part => (name === undefined ? none : sql.ref(name))

function came(change: RegistryChange['change'], kind: Kind, between: Between): Part {
  const isNew = sql`not exists (${sameAt(kind, between.registryId, between.earlier)} offset 0)`
  const after = kind === ISSUER ? sql`c.prices` : sql`null`
  return changes(change, kind, between, { rows: began('c', between), fits: isNew, before: sql`null`, after })
}

function went(change: RegistryChange['change'], kind: Kind, between: Between): Part {
  const isGone = sql`not exists (${sameAt(kind, between.registryId, between.later)} offset 0)`
  const before = kind === ISSUER ? sql`c.prices` : sql`null`
  return changes(change, kind, between, { rows: ended('c', between), fits: isGone, before, after: sql`null` })
}

function prices(between: Between): Part {
  const after = sql`(${sameAt(ISSUER, between.registryId, between.later, sql`o.prices`)})`
  const fits = sql`${after} <> c.prices`
  return changes('pricesChanged', ISSUER, between, { rows: ended('c', between), fits, before: sql`c.prices`, after })
}

/** The row about the same thing, as it was at another point. */
function sameAt({ table, schema, did, via }: Kind, registryId: string, block: number, wanted: Part = sql``): Part {
  const same = [schema, did, via].flatMap((column) =>
    column === undefined ? [] : [sql`${sql.ref(column.replace('c.', 'o.'))} = ${sql.ref(column)}`],
  )
  return sql`select ${wanted} from ${sql.table(`ledger.${table}`)} o
    where o.registry_id = ${registryId} and ${sql.join(same, sql` and `)} and ${validAt('o', block)}`
}

interface Change {
  rows: Part
  fits: Part
  before: Part
  after: Part
}

/** Selects the first changes of a kind in their order: `offset 0` in the operands lets Postgres compare row by row. */
function changes(change: RegistryChange['change'], kind: Kind, between: Between, { rows, fits, ...of }: Change): Part {
  const { table, schema, role, did, via } = kind
  const inOrder = [did, via].flatMap((name) => (name ? [sql`${sql.ref(name)} collate "C"`] : []))
  // Hashes have the same order in every collation: the index has them in its own.
  const order = sql.join([...(schema ? [sql.ref(schema)] : []), ...inOrder])
  return sql`(
    select ${change}, ${sql.ref(did)}, ${columnOf(schema, sql`null`)}, ${role ?? null}::text, ${columnOf(via, sql`null`)},
      ${of.before}::jsonb, ${of.after}::jsonb
    from ${sql.table(`ledger.${table}`)} c
    where c.registry_id = ${between.registryId} and ${rows} and ${beyond(change, kind, between)} and ${fits}
    order by ${order} limit ${between.most})`
}

/** Tells in SQL whether a row comes after the page before. */
function beyond(
  change: RegistryChange['change'],
  { schema, role, did, via }: Omit<Kind, 'table'>,
  { after: { number, about } }: Between,
): Part {
  if (numberOf(change) > number) return sql`true`
  const none = sql`'-'`
  const place = [columnOf(schema, none), sql`${role ?? '-'}::text`, sql.ref(did), columnOf(via, none)]
  return sql`(${sql.join(place.map((part) => sql`${part} collate "C"`))}) > (${sql.join(about)})`
}
