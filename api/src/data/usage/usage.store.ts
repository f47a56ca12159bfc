import { sql } from 'kysely'
import { BILLED_KINDS, type BilledKind } from '../../platform/database/billing.js'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { lockByName } from '../../platform/database/lock-by-name.js'
import type { Page } from '../../platform/http/pagination.js'
import type { Month } from './month.js'

/** The numbers of transactions by kind. */
export type Counts = Record<BilledKind, number>

const NONE: Counts = { credential: 0, verification: 0, ledgerAction: 0 }

export const totalOf = (counts: Counts): number => BILLED_KINDS.reduce((sum, kind) => sum + counts[kind], 0)

/** The counts of a team, and those of its sub-accounts. */
const ofFamily = (team: TeamId) => sql<boolean>`(team_id = ${team} or payer_id = ${team})`

/** Returns the transactions of a month, those of sub-accounts with them. */
export async function countsOfMonth(reader: Reader, team: TeamId, { from, to }: Month): Promise<Counts> {
  const rows = await reader
    .selectFrom('billed_counts')
    .select(({ fn }) => ['kind', fn.sum<number>('count').as('count')])
    .where(ofFamily(team))
    .where('day', '>=', from)
    .where('day', '<', to)
    .groupBy('kind')
    .execute()
  return { ...NONE, ...Object.fromEntries(rows.map(({ kind, count }) => [kind, Number(count)])) }
}

export interface DayCounts extends Counts {
  date: string
}

/** Returns the transactions by day (UTC), the newest day first; days without any are left out. */
export async function countsByDay(reader: Reader, team: TeamId, { offset, limit }: Page): Promise<DayCounts[]> {
  const of = (kind: BilledKind) => sql<number>`coalesce(sum(count) filter (where kind = ${kind}), 0)::bigint`.as(kind)
  const rows = await reader
    .selectFrom('billed_counts')
    .select(sql<string>`to_char(day, 'YYYY-MM-DD')`.as('date'))
    .select(BILLED_KINDS.map(of))
    .where(ofFamily(team))
    .groupBy('day')
    .orderBy('day', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  return rows
}

/** Returns the months in which there were transactions, newest first. */
export async function monthsOf(reader: Reader, team: TeamId, { offset, limit }: Page) {
  return reader
    .selectFrom('billed_counts')
    .select(sql<string>`to_char(day, 'YYYY-MM')`.as('month'))
    .select(sql<number>`sum(count)::bigint`.as('total'))
    .where(ofFamily(team))
    .groupBy('month')
    .orderBy('month', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
}

export interface BilledTransaction {
  id: number
  time: string
  kind: BilledKind
  account: number
  actor: string
  requestId: string | null
}

interface Asked extends Page {
  /** Only one team; default: sub-accounts with their parent. */
  isAlone?: boolean
  from?: Date | undefined
  to?: Date | undefined
}

/** Returns single transactions, newest first. */
export async function transactionsOf(
  reader: Reader,
  team: TeamId,
  { isAlone, from, to, offset, limit }: Asked,
): Promise<BilledTransaction[]> {
  let asked = reader
    .selectFrom('billed_transactions')
    .select(['id', 'at', 'kind', 'team_id as account', 'actor', 'request_id as requestId'])
    .where((where) =>
      isAlone ? where('team_id', '=', team) : where.or([where('team_id', '=', team), where('parent_id', '=', team)]),
    )
  if (from !== undefined) asked = asked.where('at', '>=', from)
  if (to !== undefined) asked = asked.where('at', '<=', to)
  const rows = await asked.orderBy('id', 'desc').offset(offset).limit(limit).execute()
  return rows.map(({ at, ...row }) => ({ ...row, time: at.toISOString() }))
}

/** Returns the number of all transactions, those of sub-accounts with them. */
export async function transactionCount(reader: Reader, team: TeamId): Promise<number> {
  const { total } = await reader
    .selectFrom('billed_transactions')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where((where) => where.or([where('team_id', '=', team), where('parent_id', '=', team)]))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** Returns the number of ledger actions that are on their way, and have their places. */
export async function onTheirWay(reader: Reader, payer: TeamId, of: TeamId | null, now: Date): Promise<number> {
  const { rows } = await sql<{ on_its_way: number }>`
    select on_its_way from service.used_in_month(${payer}, ${of}, ${now})`.execute(reader)
  return rows[0]?.on_its_way ?? 0
}

/**
 * Folds the counts of single commits into one a day. The sum is the same before, after and meanwhile. Two at once would
 * each leave a row of their own, which nobody would fold again. It waits for nobody who counts: what they hold is left.
 */
export async function foldCounts(tx: Tx): Promise<void> {
  await lockByName(tx, 'service.billed_counts folding')
  await sql`
    with due as (select distinct team_id, payer_id, day, kind from service.billed_counts where not is_folded),
    free as (
      select c.ctid from service.billed_counts c join due d using (team_id, payer_id, day, kind)
      for update of c skip locked),
    gone as (delete from service.billed_counts where ctid = any(array(select ctid from free)) returning *)
    insert into service.billed_counts (team_id, payer_id, day, kind, count, is_folded)
      select team_id, payer_id, day, kind, sum(count), true from gone group by team_id, payer_id, day, kind`.execute(tx)
}
