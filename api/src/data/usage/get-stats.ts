import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { operation } from '../../platform/http/operation.js'
import { monthBefore, monthOf } from './month.js'
import { COUNTED, KindCounts } from './usage.shape.js'
import { countsOfMonth } from './usage.store.js'

const HELD = {
  dids: 'DIDs',
  profiles: 'Profiles',
  schemas: 'Schemas',
  credentials: 'Credentials, by their metadata',
  revocation_registries: 'Revocation registries',
  trust_registries: 'Trust registries that the team convenes',
  webhooks: 'Web hooks',
  team_members: 'People',
} as const

const Held = Type.Object(
  Object.fromEntries(Object.entries(HELD).map(([name, description]) => [camel(name), Type.Integer({ description })])),
  { description: 'The numbers of things that the team has' },
)
const Month = (description: string) => Type.Object(KindCounts, { description })

export const getStats = operation({
  method: 'GET',
  url: '/data/stats',
  operationId: 'getStats',
  tags: ['data'],
  summary: 'Get the numbers of your team',
  description: `The transactions of this month and of the last one, those of sub-accounts with them, and the things that the team has. ${COUNTED}`,
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  response: {
    200: Type.Object({
      thisMonth: Month('The transactions of this month (UTC)'),
      lastMonth: Month('Those of the month before'),
      held: Held,
    }),
  },
  handler: (ctx) =>
    ctx.db.read(ctx.scope, async (reader) => {
      const now = ctx.clock.now()
      const [thisMonth, lastMonth, held] = await Promise.all([
        countsOfMonth(reader, ctx.team, monthOf(now)),
        countsOfMonth(reader, ctx.team, monthBefore(now)),
        heldBy(reader, ctx.team),
      ])
      return { thisMonth, lastMonth, held }
    }),
})

/** Counts the rows of each table that the team owns. */
async function heldBy(reader: Reader, team: TeamId): Promise<Record<string, number>> {
  const counts = Object.keys(HELD).map(
    (table) => sql`(select count(*) from ${sql.table(table)} where team_id = ${team}) as ${sql.ref(camel(table))}`,
  )
  const { rows } = await sql<Record<string, number>>`select ${sql.join(counts)}`.execute(reader)
  return rows[0] ?? {}
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
}
