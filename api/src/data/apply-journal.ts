import './data.tables.js'
import { sql } from 'kysely'
import { forgetPerson } from '../accounts/people/forget-person.store.js'
import { beginDeletionAgain } from '../accounts/teams/close-team.store.js'
import { endHoldings } from '../accounts/teams/holdings.store.js'
import type { Tx } from '../platform/database/database.js'
import { type EntryThatCounts, entriesThatCount, holdJournal, toldOfLines } from '../platform/database/tell-journal.js'
import type { Environment } from '../platform/http/context.js'
import { appendToJournal, readJournal } from '../platform/process/erasure-journal.js'
import { forgetAddresses } from './forget-addresses.js'
import { inAPart } from './in-a-part.js'

type Needs = Pick<Environment, 'db' | 'clock' | 'random' | 'deriveKey' | 'events' | 'config'>

export class PartsFailed extends AggregateError {}

/** The parts of the journal that the database did not know of, counted. */
export interface AppliedJournal {
  /** Erasures, and deletions of teams and people. */
  erasures: number
  /** People who left a team. */
  departures: number
  /** Keys that would have opened something for longer. */
  keys: number
}

/**
 * Begins again what the journal tells and this database does not know of: it is a copy from before. What is in it
 * already, or about teams and people that it never had, changes nothing; nor does what was undone. A part that fails
 * holds up no other.
 *
 * @throws PartsFailed afterwards, with what failed
 */
export async function applyJournal(environment: Needs): Promise<AppliedJournal> {
  const { db } = environment
  const due = await db.transaction('system', (tx) => findDue(tx, environment))
  const applied = { erasures: 0, departures: 0, keys: 0 }
  const failed: unknown[] = []
  try {
    applied.keys = await inAPart(db, (tx) => endKeys(tx, due.keys))
  } catch (error) {
    failed.push(error)
  }
  for (const entry of due.entries)
    try {
      if (!(await inAPart(db, (tx) => applyEntry(tx, environment, entry)))) continue
      if ('member' in entry) applied.departures += 1
      else applied.erasures += 1
    } catch (error) {
      failed.push(error)
    }
  const addresses = await forgetAddresses(environment, due.people)
  applied.erasures += addresses.forgotten
  failed.push(...addresses.failed)
  if (failed.length > 0)
    throw new PartsFailed(failed, `${failed.length} parts of the journal could not be applied, as: ${failed[0]}`)
  return applied
}

type OfKey = Extract<EntryThatCounts, { key: unknown }>
const isOfKey = (entry: EntryThatCounts): entry is OfKey => 'key' in entry
type OfOther = Exclude<EntryThatCounts, OfKey>

interface Due {
  keys: DueKey[]
  entries: OfOther[]
  /** All of people: their addresses are looked for apart. */
  people: OfOther[]
}

/** Finds what is to be applied while nobody adds to the journal, and tells it what became of its lines in this database. */
async function findDue(tx: Tx, { config, clock }: Needs): Promise<Due> {
  const file = config.erasureJournalFile
  await holdJournal(tx)
  const entries = await readJournal(file)
  const told = await toldOfLines(tx, { clock }, entries)
  await appendToJournal(file, told)
  const counting = entriesThatCount([...entries, ...told])
  const others = counting.flatMap((entry) => (isOfKey(entry) ? [] : [entry]))
  return {
    keys: await dueKeys(tx, counting.filter(isOfKey)),
    entries: await dueEntries(tx, others),
    people: others.filter((entry) => 'person' in entry),
  }
}

interface Facts extends Partial<Extract<EntryThatCounts, { member: unknown }>['member']> {
  kind: string
}

/**
 * Returns those that this database may not know of: one statement, however long the journal is. Deletions of sub-accounts
 * come first: each begins by its own id, and not by that of its parent's.
 */
async function dueEntries(tx: Tx, entries: readonly OfOther[]): Promise<OfOther[]> {
  const facts = entries.map((entry): Facts => {
    if ('deletion' in entry) return { kind: 'deletion', team: entry.deletion }
    if ('erasure' in entry) return { kind: 'erasure', team: entry.erasure }
    if ('person' in entry) return { kind: 'person', person: entry.person }
    return { kind: 'member', ...entry.member }
  })
  const { rows } = await sql<{ place: number }>`select e.place
    from unnest(${facts.map(({ kind }) => kind)}::text[], ${entries.map(({ id }) => id)}::text[],
      ${facts.map(({ team }) => team?.number)}::bigint[], ${facts.map(({ team }) => team?.created)}::timestamptz[],
      ${facts.map(({ person }) => person?.number)}::bigint[], ${facts.map(({ person }) => person?.created)}::timestamptz[],
      ${facts.map(({ joined }) => joined)}::timestamptz[])
      with ordinality as e (kind, id, team, team_made, person, person_made, joined, place)
    left join service.teams t on t.id = e.team and date_trunc('milliseconds', t.created) = e.team_made
    left join service.users u on u.id = e.person and date_trunc('milliseconds', u.created) = e.person_made
    where case e.kind
      when 'deletion' then t.id is not null and not exists (select from service.deletions d where d.id = e.id::uuid)
      when 'erasure' then t.id is not null and not exists (select from service.erasures s where s.id = e.id::uuid)
      when 'person' then u.id is not null
      else exists (select from service.team_members m where m.team_id = t.id and m.user_id = u.id
        and (e.joined is null or m.joined = e.joined)) end
    order by not (e.kind = 'deletion' and t.parent_id is not null), e.place`.execute(tx)
  return rows.flatMap(({ place }) => entries[place - 1] ?? [])
}

interface DueKey {
  publicPart: string
  /** When it ends by the database, in the words of the database. */
  expires: string | null
  ends: string
}

/** Returns the keys that end later than the last line of each tells. */
async function dueKeys(tx: Tx, entries: readonly OfKey[]): Promise<DueKey[]> {
  const last = new Map(entries.map(({ id, key }) => [id, key.ends]))
  const { rows } = await sql<DueKey>`select k.public_part as "publicPart", k.expires::text as expires, e.ends
    from service.api_keys k join unnest(${[...last.keys()]}::text[], ${[...last.values()]}::text[]) as e (public_part, ends)
      on e.public_part = k.public_part
    where k.revoked is null and e.ends is not null and (k.expires is null or k.expires > e.ends::timestamptz)`.execute(
    tx,
  )
  return rows
}

/** Lets keys end no later than told, but for those that were given another end meanwhile. @returns how many */
async function endKeys(tx: Tx, keys: readonly DueKey[]): Promise<number> {
  const { numAffectedRows } = await sql`update service.api_keys k set expires = e.ends
    from unnest(${keys.map((key) => key.publicPart)}::text[], ${keys.map((key) => key.expires)}::timestamptz[],
      ${keys.map((key) => key.ends)}::timestamptz[]) as e (public_part, expires, ends)
    where k.public_part = e.public_part and k.revoked is null and k.expires is not distinct from e.expires`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

async function applyEntry(tx: Tx, environment: Needs, entry: OfOther): Promise<boolean> {
  if ('member' in entry) return leaveTeam(tx, environment, entry)
  if ('person' in entry) {
    const person = await tx.selectFrom('users').select(['id', 'email']).where(isIt(entry.person)).executeTakeFirst()
    if (person) await forgetPerson(tx, environment, { ...person, until: new Date(entry.at) })
    return person !== undefined
  }
  return 'deletion' in entry ? deleteTeam(tx, environment, entry) : beginErasure(tx, entry)
}

async function deleteTeam(
  tx: Tx,
  environment: Needs,
  { id, deletion }: Extract<EntryThatCounts, { deletion: unknown }>,
): Promise<boolean> {
  const team = await tx.selectFrom('teams').select('id').where(isIt(deletion)).executeTakeFirst()
  return team !== undefined && beginDeletionAgain(tx, environment, { id, team: team.id })
}

async function beginErasure(
  tx: Tx,
  { id, at, erasure }: Extract<EntryThatCounts, { erasure: unknown }>,
): Promise<boolean> {
  const isKnown = await tx.selectFrom('erasures').select('id').where('id', '=', id).executeTakeFirst()
  const team = await tx.selectFrom('teams').select('id').where(isIt(erasure)).executeTakeFirst()
  if (isKnown || !team) return false
  const marks = erasure.marks.map((mark) => Buffer.from(mark, 'hex'))
  await tx.insertInto('erasures').values({ id, team_id: team.id, started: at, marks }).execute()
  return true
}

/** A person who joined again later stays. A line of an earlier version tells that by the clocks of two hosts alone. */
async function leaveTeam(
  tx: Tx,
  { clock }: Needs,
  { at, member: { team, person, joined } }: Extract<EntryThatCounts, { member: unknown }>,
): Promise<boolean> {
  const [ofTeam, ofPerson] = await Promise.all([
    tx.selectFrom('teams').select('id').where(isIt(team)).executeTakeFirst(),
    tx.selectFrom('users').select('id').where(isIt(person)).executeTakeFirst(),
  ])
  if (!ofTeam || !ofPerson) return false
  const left = await tx
    .deleteFrom('team_members')
    .where('team_id', '=', ofTeam.id)
    .where('user_id', '=', ofPerson.id)
    .where(
      joined === undefined ? sql<boolean>`joined < ${at}::timestamptz` : sql<boolean>`joined = ${joined}::timestamptz`,
    )
    .executeTakeFirst()
  if (left.numDeletedRows > 0n) endHoldings(tx, ofPerson.id, ofTeam.id, clock.now())
  return left.numDeletedRows > 0n
}

const isIt = ({ number, created }: { number: number; created: string }) =>
  sql<boolean>`id = ${number} and date_trunc('milliseconds', created) = ${created}::timestamptz`
