import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { RemoteKind } from './remote-document.tables.js'

/** The most documents that a team may keep: those that it issued with, and others, of which the oldest make room. */
export const KEPT = { issued: 1000, others: 200 } as const

export interface Address {
  team: TeamId
  kind: RemoteKind
  url: string
}

export interface Stored {
  document: string
  isIssued: boolean
}

export async function findRemote(reader: Reader, { team, kind, url }: Address): Promise<Stored | undefined> {
  return reader
    .selectFrom('remote_documents')
    .select(['document', 'is_issued as isIssued'])
    .where('team_id', '=', team)
    .where('kind', '=', kind)
    .where('url', '=', url)
    .executeTakeFirst()
}

export interface Fetched {
  document: string
  digest: Buffer
  now: Date
  isIssued: boolean
}

/**
 * Keeps a fetched document, unless somebody was faster: the first one counts.
 *
 * @returns the document that is kept now; undefined when the team keeps as many already
 */
export async function keepRemote(tx: Tx, address: Address, fetched: Fetched): Promise<Stored | undefined> {
  const { team, kind, url } = address
  const { document, digest, now, isIssued } = fetched
  if (isIssued && (await countIssued(tx, team)) >= KEPT.issued) return undefined
  await tx
    .insertInto('remote_documents')
    .values({ team_id: team, kind, url, digest, document, fetched: now, is_issued: isIssued })
    .onConflict((conflict) => conflict.columns(['team_id', 'kind', 'url']).doNothing())
    .execute()
  if (!isIssued) await makeRoom(tx, team)
  return findRemote(tx, address)
}

/**
 * Marks a document that was fetched to verify something as kept, once the team issues with it. It may be gone by then,
 * or there may be no room.
 */
export async function markIssued(tx: Tx, { team, kind, url }: Address): Promise<'marked' | 'gone' | 'full'> {
  if ((await countIssued(tx, team)) >= KEPT.issued) return 'full'
  const { numUpdatedRows } = await tx
    .updateTable('remote_documents')
    .set({ is_issued: true })
    .where('team_id', '=', team)
    .where('kind', '=', kind)
    .where('url', '=', url)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n ? 'marked' : 'gone'
}

async function countIssued(tx: Tx, team: TeamId): Promise<number> {
  const { count } = await tx
    .selectFrom('remote_documents')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('team_id', '=', team)
    .where('is_issued', '=', true)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function makeRoom(tx: Tx, team: TeamId): Promise<void> {
  const oldest = tx
    .selectFrom('remote_documents')
    .select('n')
    .where('team_id', '=', team)
    .where('is_issued', '=', false)
    .orderBy('n', 'desc')
    .offset(KEPT.others)
    .limit(1)
  await tx
    .deleteFrom('remote_documents')
    .where('team_id', '=', team)
    .where('is_issued', '=', false)
    .where('n', '<=', oldest)
    .execute()
}
