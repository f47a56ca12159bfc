import { sql } from 'kysely'
import type { BilledKind } from '../../platform/database/billing.js'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Month } from '../usage/month.js'

export interface StatementLine {
  account: number
  accountName: string | null
  kind: BilledKind
  count: number
}

/** Returns the transactions of a month by account and kind: those of the team first, then each sub-account. */
export async function statementLines(
  reader: Reader,
  team: TeamId,
  { month, account }: { month: Month; account: number | undefined },
): Promise<StatementLine[]> {
  const { rows } = await sql<StatementLine>`
    select c.team_id as account, t.name as "accountName", c.kind, sum(c.count)::bigint as count
    from service.billed_counts c left join service.teams t on t.id = c.team_id
    where (c.payer_id = ${team} or c.team_id = ${team}) and c.day >= ${month.from}::date and c.day < ${month.to}::date
      and (${account ?? null}::bigint is null or c.team_id = ${account ?? null}::bigint)
    group by c.team_id, t.name, c.kind order by c.team_id <> ${team}, c.team_id, c.kind`.execute(reader)
  return rows
}
