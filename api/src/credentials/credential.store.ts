import { type SqlBool, sql } from 'kysely'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import { inserter } from '../platform/database/insert-rows.js'
import type { Page } from '../platform/http/pagination.js'
import type { CredentialsTable } from './credential.tables.js'

export type CredentialRow = Omit<
  CredentialsTable,
  'n' | 'issuance_date' | 'expiration_date' | 'created' | 'template' | 'sealed' | 'marks'
> & {
  issuance_date: Date
  expiration_date: Date | null
  created: Date
  /** True when a sealed copy is kept. */
  persisted: boolean
}

const columns = [
  'team_id',
  'id',
  'issuer',
  'issuer_key',
  'issuer_name',
  'type',
  'subject_ref',
  'algorithm',
  'registry_id',
  'status_index',
  'issuance_date',
  'expiration_date',
  'byte_size',
  'created',
] as const
const persisted = sql<boolean>`sealed is not null`.as('persisted')

export type NewCredential = Omit<CredentialRow, 'persisted'> & {
  template: string | null
  sealed: Buffer | null
  marks: Buffer[]
}

const insert = inserter<NewCredential>(
  'credentials',
  {
    team_id: 'bigint',
    id: 'text',
    issuer: 'text',
    issuer_key: 'text',
    issuer_name: 'text',
    type: 'text',
    subject_ref: 'text',
    algorithm: 'text',
    registry_id: 'text',
    status_index: 'int',
    issuance_date: 'timestamptz',
    expiration_date: 'timestamptz',
    byte_size: 'int',
    created: 'timestamptz',
    template: 'uuid',
    sealed: 'bytea',
    marks: 'bytea[]',
  },
  // The ids of subjects stay only where the team wants them.
  {
    subject_ref: `case when (select t.store_subject_ref from service.teams t where t.id = r.team_id) then r.subject_ref else '' end`,
  },
)

export function insertCredentials(tx: Tx, rows: readonly NewCredential[]): void {
  if (rows.length > 0) tx.defer({ compile: () => insert(rows) })
}

/** The most credentials with one id that are read; a caller that needs all of them refuses more. */
export const MOST_OF_AN_ID = 1000

/** All credentials of the team with an id (callers may repeat their own), newest first; one more than are looked at. */
export function findCredentials(reader: Reader, team: TeamId, id: string): Promise<CredentialRow[]> {
  return reader
    .selectFrom('credentials')
    .select(columns)
    .select(persisted)
    .where('team_id', '=', team)
    .where('id', '=', id)
    .orderBy('n', 'desc')
    .limit(MOST_OF_AN_ID + 1)
    .execute()
}

/** The orders of a list of credentials, with their columns; `n` counts credentials as they were issued. */
export const SORTED_BY = {
  createdAt: 'n',
  id: 'id',
  issuanceDate: 'issuance_date',
  type: 'type',
  subjectRef: 'subject_ref',
} as const

export interface Order {
  sort: keyof typeof SORTED_BY
  order: 'asc' | 'desc'
}

/**
 * The team's credentials; of those that are alike in what they are sorted by, the newest first.
 * @param filter text to find in id, issuer, its name, type, subject reference, day of issue or of creation
 */
export function listCredentials(
  reader: Reader,
  team: TeamId,
  filter: string | undefined,
  { offset, limit, sort, order }: Page & Order,
): Promise<CredentialRow[]> {
  let query = reader.selectFrom('credentials').select(columns).select(persisted).where('team_id', '=', team)
  if (filter !== undefined) query = query.where(matches(filter))
  query = query.orderBy(SORTED_BY[sort], order)
  if (sort !== 'createdAt') query = query.orderBy('n', 'desc')
  return query.offset(offset).limit(limit).execute()
}

/** The number of the team's credentials that match. */
export async function countCredentials(reader: Reader, team: TeamId, filter: string | undefined): Promise<number> {
  let query = reader.selectFrom('credentials').where('team_id', '=', team)
  if (filter !== undefined) query = query.where(matches(filter))
  const { total } = await query.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
  return Number(total)
}

/**
 * The same in pieces: `n` counts credentials in the order of their issuing, so that new ones do not shift the pieces.
 */
export function credentialsBefore(
  reader: Reader,
  team: TeamId,
  filter: string | undefined,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<(CredentialRow & { n: number })[]> {
  let query = reader.selectFrom('credentials').select(columns).select('n').select(persisted).where('team_id', '=', team)
  if (filter !== undefined) query = query.where(matches(filter))
  if (before !== undefined) query = query.where('n', '<', before)
  return query.orderBy('n', 'desc').limit(limit).execute()
}

function matches(filter: string) {
  const pattern = `%${filter.replace(/[\\%_]/g, (special) => `\\${special}`)}%`
  const iso = (column: string) => sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
  return sql<SqlBool>`concat_ws(' ', id, issuer, issuer_name, type, subject_ref, ${iso('created')}, ${iso('issuance_date')}) ilike ${pattern}`
}

/** @returns how many were deleted */
export async function deleteCredentials(tx: Tx, team: TeamId, id: string): Promise<number> {
  const result = await tx.deleteFrom('credentials').where('team_id', '=', team).where('id', '=', id).executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** Tells whether the team has a credential with an id. */
export async function hasCredential(reader: Reader, team: TeamId, id: string): Promise<boolean> {
  const [row] = await reader
    .selectFrom('credentials')
    .select('n')
    .where('team_id', '=', team)
    .where('id', '=', id)
    .limit(1)
    .execute()
  return row !== undefined
}

export interface SealedCredential {
  team: TeamId
  sealed: Buffer
}

/** The team's newest sealed copy of a credential. */
export async function findSealed(
  reader: Reader,
  id: string,
  team: TeamId | null,
): Promise<SealedCredential | undefined> {
  const row = await reader
    .selectFrom('credentials')
    .select(['team_id', 'sealed'])
    .where('team_id', '=', team)
    .where('id', '=', id)
    .where('sealed', 'is not', null)
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.sealed ? { team: row.team_id, sealed: row.sealed } : undefined
}

/** Returns the teams that keep sealed copies under an id, the first to keep one first; asked as the system. */
export async function sealingTeams(reader: Reader, id: string): Promise<TeamId[]> {
  const rows = await reader
    .selectFrom('credentials')
    .select('team_id')
    .where('id', '=', id)
    .where('sealed', 'is not', null)
    .groupBy('team_id')
    .orderBy((order) => order.fn.min('n'))
    .execute()
  return rows.map((row) => row.team_id)
}
