import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { DEFAULT_SECONDS } from '../../accounts/teams/retention-policy.js'
import type { Retention } from '../../platform/database/kept-data.js'

const DAY_SECONDS = 86_400

/** The rows of a table whose time is over, and how reports call the rule. */
export interface End {
  policy: string
  /** True of a row `k` of the table that has to go. */
  isOver: RawBuilder<SqlBool>
}

const column = (name: string) => sql.ref(`k.${name}`)
const ago = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)

/** Returns when rows of a table go by themselves; undefined where something else takes them. */
export function endOfRows(retention: Retention, now: Date): End | undefined {
  switch (retention.until) {
    case 'expiry':
      return { policy: 'expiry', isOver: sql`${column(retention.column)} <= ${now}` }
    case 'age': {
      const { days, stays } = retention
      const isOld = sql<SqlBool>`${column(retention.column)} <= ${ago(now, days * DAY_SECONDS)}`
      return { policy: inDays(days), isOver: sql`${isOld} and ${mayGo(stays)}` }
    }
    case 'ageOf': {
      const { table, by, days } = retention
      const isOld = sql<SqlBool>`p.${sql.ref(retention.column)} <= ${ago(now, days * DAY_SECONDS)}`
      const isOver = sql<SqlBool>`exists (select from ${sql.table(`service.${table}`)} p
        where p.${sql.ref(by)} = ${column(by)} and ${isOld})`
      return { policy: inDays(days), isOver }
    }
    case 'policy': {
      const { policy, stays } = retention
      const seconds = sql`coalesce((t.retention_policy ->> ${policy})::float8, ${DEFAULT_SECONDS[policy]}::float8)`
      const isOver = sql<SqlBool>`exists (select from service.teams t where t.id = k.team_id
        and ${column(retention.column)} <= ${now}::timestamptz - make_interval(secs => ${seconds})) and ${mayGo(stays)}`
      return { policy, isOver }
    }
    default:
      return undefined
  }
}

const inDays = (days: number): string => (days === 1 ? '1 day' : `${days} days`)

function mayGo(stays: Extract<Retention, { until: 'age' }>['stays']): RawBuilder<SqlBool> {
  if (stays === undefined) return sql`true`
  const { values } = stays
  if (values === 'any') return sql`${column(stays.column)} is null`
  return sql`${column(stays.column)} <> all(${[...values]}::text[])`
}
