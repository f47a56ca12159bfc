import { type Static, Type } from 'typebox'
import { BILLED_KINDS } from '../../platform/database/billing.js'
import { invalid } from '../../platform/errors.js'
import { wantedForm } from '../../platform/http/accept.js'
import { operation } from '../../platform/http/operation.js'
import { csvLine } from '../../platform/http/streamed-list.js'
import { monthOf, parseMonth } from '../usage/month.js'
import { COUNTED } from '../usage/usage.shape.js'
import { statementLines } from './statement.store.js'

const Line = Type.Object({
  account: Type.Integer({ description: 'The team, or a sub-account of it' }),
  accountName: Type.Union([Type.String(), Type.Null()], { description: 'Its name; null once it is deleted' }),
  kind: Type.Enum([...BILLED_KINDS], { description: 'The kind of its transactions' }),
  count: Type.Integer({ description: 'The number of them' }),
})

const Statement = Type.Object({
  team: Type.Integer({ description: 'The team that pays' }),
  plan: Type.String({ description: 'Its present plan' }),
  month: Type.String({ description: 'The month' }),
  from: Type.String({ description: 'Its first instant' }),
  to: Type.String({ description: 'The first instant after it' }),
  isFinal: Type.Boolean({ description: 'True when the month is over' }),
  lines: Type.Array(Line, { description: 'By account and kind; the team first' }),
  total: Type.Integer({ description: 'All transactions' }),
})

const FORMS = ['application/json', 'text/csv'] as const

export const getStatement = operation({
  method: 'GET',
  url: '/data/statements/:month',
  operationId: 'getStatement',
  tags: ['data'],
  summary: 'Get the statement of a month',
  description: `The transactions of the team and of each of its sub-accounts in a calendar month (UTC), as JSON or, with \`Accept: text/csv\`, as a table. ${COUNTED}`,
  auth: 'account',
  role: 'owner',
  tenancy: 'owned',
  params: Type.Object({ month: Type.String({ maxLength: 7, description: 'The month: 2026-01' }) }),
  querystring: Type.Object({
    account: Type.Optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Only one of the accounts' }),
    ),
  }),
  response: { 200: Type.Unsafe<Static<typeof Statement> | string>(Statement) },
  mediaTypes: FORMS,
  handler: async (ctx, { params, query: { account } }) => {
    const month = parseMonth(params.month)
    if (month === undefined) throw invalid('month must be a calendar month as 2026-01', { field: 'month' })
    ctx.reply.header('Vary', 'Accept')
    const { plan, lines } = await ctx.db.read(ctx.scope, async (reader) => ({
      ...(await reader.selectFrom('teams').select('plan').where('id', '=', ctx.team).executeTakeFirstOrThrow()),
      lines: await statementLines(reader, ctx.team, { month, account }),
    }))
    if (wantedForm(ctx.accept, FORMS).named === 'text/csv') {
      ctx.reply.type('text/csv; charset=utf-8')
      const table = lines.map((line) => csvLine([month.name, line.account, line.accountName, line.kind, line.count]))
      return [csvLine(['month', 'account', 'accountName', 'kind', 'count']), ...table].join('')
    }
    return {
      team: ctx.team,
      plan: ctx.config.plans.of(plan).name,
      month: month.name,
      from: `${month.from}T00:00:00.000Z`,
      to: `${month.to}T00:00:00.000Z`,
      isFinal: month.name < monthOf(ctx.clock.now()).name,
      lines,
      total: lines.reduce((sum, { count }) => sum + count, 0),
    }
  },
})
