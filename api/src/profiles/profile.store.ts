import './profile.tables.js'
import { type RawBuilder, sql } from 'kysely'
import { lockDid } from '../dids/did.store.js'
import { keepsOwnKey } from '../dids/wallet/did-proof.store.js'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import { lockByName } from '../platform/database/lock-by-name.js'
import type { Page } from '../platform/http/pagination.js'
import { holdsWords } from '../platform/http/search.js'

/** The name, description and logo of a DID. `logo` is an absolute URL or empty. */
export interface Profile {
  did: string
  name: string
  description: string
  logo: string
}

const columns = ['did', 'name', 'description', 'logo_url as logo'] as const
const present = (reader: Reader) => reader.selectFrom('profiles').select(columns).where('valid_to', 'is', null)

/** Returns the present profile of a DID of any team: names and logos are public. */
export function profileOf(reader: Reader, did: string): Promise<Profile | undefined> {
  return present(reader).where('did', '=', did).executeTakeFirst()
}

/** Tells in SQL whether a profile, or none, is the one that `profileOf` returns. */
export const isProfileOf = (did: string, profile: Profile | undefined): RawBuilder<boolean> =>
  profile === undefined
    ? sql<boolean>`not exists (select from profiles where did = ${did} and valid_to is null)`
    : sql<boolean>`exists (select from profiles where did = ${did} and valid_to is null
        and name = ${profile.name} and description = ${profile.description} and logo_url = ${profile.logo})`

/** Returns the profile that a DID had at an instant. */
export function profileAt(reader: Reader, did: string, instant: Date): Promise<Profile | undefined> {
  return reader
    .selectFrom('profiles')
    .select(columns)
    .where('did', '=', did)
    .where('valid_from', '<=', instant)
    .where((where) => where.or([where('valid_to', 'is', null), where('valid_to', '>', instant)]))
    .orderBy('valid_from', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export function ownProfile(reader: Reader, team: TeamId, did: string): Promise<Profile | undefined> {
  return present(reader).where('did', '=', did).where('team_id', '=', team).executeTakeFirst()
}

/** Returns profiles, newest first: all of them, or those that words find. */
export function ownProfiles(reader: Reader, team: TeamId, page: Page, words: string | undefined): Promise<Profile[]> {
  return present(reader)
    .where('team_id', '=', team)
    .$if(words !== undefined, (some) => some.where(found(words ?? '')))
    .orderBy('created', 'desc')
    .orderBy('did')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
}

const found = (words: string) =>
  sql<boolean>`(strpos(did, ${words}) > 0 or ${holdsWords(sql`service.folded(name)`, words)})`

/** Tells whether the team may name the DID, and locks it: until the transaction ends no other team names it. */
export async function lockNamed(tx: Tx, team: TeamId, did: string): Promise<boolean> {
  if ((await lockDid(tx, did)) !== undefined) return true
  await lockByName(tx, `service.profiles ${did}`)
  return keepsOwnKey(tx, team, did)
}

/** Ends the profiles that other teams gave the DID while it was theirs; they stay in the past. */
export async function endOtherProfiles(tx: Tx, did: string, now: Date): Promise<void> {
  await sql`select service.end_other_profiles(${did}, ${now}::timestamptz)`.execute(tx)
}

export interface ProfileVersion extends Profile {
  team: TeamId
  now: Date
}

/** Makes a new version valid from now on; the one before keeps its past. The caller holds the DID's row. */
export async function putProfile(tx: Tx, version: ProfileVersion): Promise<Profile> {
  const before = await closeProfile(tx, version.team, version.did, version.now)
  return tx
    .insertInto('profiles')
    .values({
      did: version.did,
      team_id: version.team,
      name: version.name,
      description: version.description,
      logo_url: version.logo,
      created: before ?? version.now,
      valid_from: version.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Ends the present version. Returns when the profile was made; undefined when there was none. */
export async function closeProfile(tx: Tx, team: TeamId, did: string, now: Date): Promise<Date | undefined> {
  const row = await tx
    .updateTable('profiles')
    .set({ valid_to: now })
    .where('did', '=', did)
    .where('team_id', '=', team)
    .where('valid_to', 'is', null)
    .returning('created')
    .executeTakeFirst()
  return row?.created
}
