import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { listed } from '../../ledger/read/participants/participant-entries.js'
import type { Reader } from '../../platform/database/database.js'
import type { Page } from '../../platform/http/pagination.js'
import { holdsWords } from '../../platform/http/search.js'
import { type Paged, paged, type ReadPoint } from '../read-point.js'
import { acceptedAt, namedAt } from './display-name.js'
import { inRegistry, ofDids, type ParticipantRow, participantCount, participantsAt } from './participant.queries.js'

interface Asked {
  registry: Hex32
  /** A part of the name that is shown at the point, or of the DID; undefined: everybody. */
  words: string | undefined
}

/**
 * Returns participants of a registry in the order of their names; those without a name follow in the order of their
 * DIDs.
 */
export async function participantsByName(
  reader: Reader,
  point: ReadPoint,
  { registry, words }: Asked,
  page: Page,
): Promise<Paged<ParticipantRow>> {
  const { total, list } =
    words === undefined
      ? await everybody(reader, point, registry, page)
      : await paged(page, (part) => found(reader, point, registry, words, part))
  const dids = list.map(({ did }) => did)
  const rows = await participantsAt(reader, point, ofDids(registry, dids), { offset: 0, limit: page.limit })
  const rowOf = new Map(rows.list.map((row) => [row.did, row]))
  return { total, list: dids.flatMap((did) => rowOf.get(did) ?? []) }
}

interface Place {
  did: Did
}

async function everybody(reader: Reader, point: ReadPoint, registry: Hex32, page: Page): Promise<Paged<Place>> {
  const named = await namedOnes(reader, point, registry, page)
  const { rows: counts } = await sql<{ total: number }>`
    select ${participantCount(point, registry)}::int as total`.execute(reader)
  const total = counts[0]?.total ?? 0
  if (named.length === page.limit) return { total, list: named }
  return { total, list: [...named, ...(await nameless(reader, point, registry, page, { total, named: named.length }))] }
}

/** The offset from which on it is faster to read everybody at once than one after the other. */
const DEEP = 2_000

async function namedOnes(reader: Reader, point: ReadPoint, registry: Hex32, { offset, limit }: Page): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select n.did from (${namedAt(point, registry)}) n
    where ${takesPart('n', point, registry, offset > DEEP ? sql`` : ONE_BY_ONE)}
    order by ${byName('n')} limit ${limit} offset ${offset}`.execute(reader)
  return rows
}

/** Participants that accepted have a name: those without one are on the ledger only. */
async function nameless(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  { offset, limit }: Page,
  { total, named }: { total: number; named: number },
): Promise<Place[]> {
  const all = sql`${listed(point, inRegistry(registry))}
    and not exists (select from (${namedAt(point, registry)}) n where n.did = x.did)`
  const { rows } = await sql<Place>`
    select x.did ${all} order by x.did collate "C"
    limit ${limit - named} offset greatest(${offset + named - total}::int + (select count(*) ${all})::int, 0)`.execute(
    reader,
  )
  return rows
}

/** The clause keeps an `exists` from being answered by reading all who are listed first. */
const ONE_BY_ONE = sql`offset 0`

type Part = RawBuilder<unknown>

const byName = (who: string): Part => sql`${sql.ref(`${who}.name`)} collate "und-x-icu", ${sql.ref(`${who}.did`)}`

const isListed = (who: string, point: ReadPoint, registry: Hex32, how: Part = sql``): Part => sql`exists (
  select ${listed(point, inRegistry(registry))} and x.did = ${sql.ref(`${who}.did`)} ${how})`

const takesPart = (who: string, point: ReadPoint, registry: Hex32, how: Part = sql``): Part => sql`(
  ${isListed(who, point, registry, how)}
  or exists (${acceptedAt(point, inRegistry(registry))} and x.did = ${sql.ref(`${who}.did`)} ${how}))`

/** The search covers names and DIDs: a DID with a matching name takes part, and a matching DID may have a name. */
async function found(reader: Reader, point: ReadPoint, registry: Hex32, words: string, { offset, limit }: Page) {
  const { rows } = await sql<Place & { total: number }>`
    with f as (
      select n.did, n.name from (${namedAt(point, registry)}) n
      where ${holdsWords(sql.ref('n.searched'), words)} and ${takesPart('n', point, registry)}
      union
      select m.did, n.name from (
        select x.did ${listed(point, inRegistry(registry))} and strpos(x.did, ${words}) > 0
        union select a.did from (${acceptedAt(point, inRegistry(registry))}) a where strpos(a.did, ${words}) > 0) m
      left join (${namedAt(point, registry)}) n on n.did = m.did
    )
    select f.did, count(*) over ()::int as total from f
    order by ${byName('f')} limit ${limit} offset ${offset}`.execute(reader)
  return rows
}
