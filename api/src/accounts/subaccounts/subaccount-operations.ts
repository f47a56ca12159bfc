import { Type } from 'typebox'
import { lockByName } from '../../platform/database/lock-by-name.js'
import { ApiError } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { requirePlaces } from '../plan-places.js'
import { holdStanding } from '../standing.js'
import { closeTeam } from '../teams/close-team.store.js'
import { teamOf } from '../teams/team.store.js'
import {
  countOfSubAccounts,
  managed,
  mayHaveSubAccounts,
  SUBACCOUNT_COLUMNS,
  SubAccount,
  SubAccountParams,
  SubAccountRequest,
  subAccountOf,
  subAccountsOf,
  told,
} from './subaccount.store.js'

/** The most sub-accounts of a team. */
const MOST_SUBACCOUNTS = 1000

const common = { tags: ['subaccounts'], auth: 'account', role: 'administrator', tenancy: 'owned' } as const

const Page = Type.Object({
  total: Type.Integer({ description: 'The number of sub-accounts' }),
  list: Type.Array(SubAccount, { description: 'The sub-accounts of this page' }),
})

export const listSubAccounts = operation({
  ...common,
  method: 'GET',
  url: '/subaccounts',
  operationId: 'listSubAccounts',
  summary: 'List the sub-accounts of your team',
  description: 'Newest first.',
  querystring: Type.Object({
    ...pageQuery().properties,
    newFormat: Type.Boolean({ default: false, description: 'true: `{ total, list }` instead of the list alone' }),
  }),
  response: { 200: Type.Union([Type.Array(SubAccount), Page]) },
  handler: (ctx, { query: { newFormat, ...page } }) =>
    ctx.db.read(ctx.scope, async (reader) => {
      const list = await subAccountsOf(reader, ctx.team, page)
      return newFormat ? { total: await countOfSubAccounts(reader, ctx.team), list } : list
    }),
})

export const createSubAccount = operation({
  ...common,
  method: 'POST',
  url: '/subaccounts',
  operationId: 'createSubAccount',
  summary: 'Make a sub-account',
  description:
    'A sub-account is a tenant of its own, with keys that open nothing else. Your team manages it, and reads its contents only with a temporary key that names it (POST /keys/temporary-key).',
  body: SubAccountRequest,
  examples: { 'A faculty': { name: 'Faculty of Engineering', image: 'https://example.org/logo.png' } },
  record: SubAccount,
  response: { 200: SubAccount },
  errors: ['limit_reached', 'too_many', 'forbidden', 'not_found'],
  handler: (ctx, { body }) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      await holdStanding(tx, ctx)
      if (!(await mayHaveSubAccounts(tx, ctx.team)))
        throw new ApiError('forbidden', 'A sub-account has no sub-accounts')
      const count = () => countOfSubAccounts(tx, ctx.team)
      await requirePlaces(tx, ctx, { team: ctx.team, what: 'subAccounts', more: 1, count })
      await lockByName(tx, `service.teams under ${ctx.team}`)
      if ((await count()) >= MOST_SUBACCOUNTS)
        throw new ApiError('too_many', `A team has ${MOST_SUBACCOUNTS} sub-accounts at most`)
      const values = { name: body.name.trim(), image: body.image ?? '', monthly_limit: body.monthlyLimit ?? null }
      const made = await tx
        .insertInto('teams')
        .values({ ...values, parent_id: ctx.team })
        .returning(SUBACCOUNT_COLUMNS)
        .executeTakeFirstOrThrow()
      const after = { name: values.name, monthlyLimit: values.monthly_limit }
      await tx.audit({ action: 'createSubAccount', subject: String(made.id), after })
      return tx.answer(told(made))
    }),
})

export const getSubAccount = operation({
  ...common,
  method: 'GET',
  url: '/subaccounts/:id',
  operationId: 'getSubAccount',
  summary: 'Get a sub-account',
  params: SubAccountParams,
  response: { 200: SubAccount },
  errors: ['not_found'],
  handler: (ctx, { params }) =>
    ctx.db.read(ctx.scope, async (reader) => told(await subAccountOf(reader, ctx.team, params.id))),
})

export const updateSubAccount = operation({
  ...common,
  method: 'PATCH',
  url: '/subaccounts/:id',
  operationId: 'updateSubAccount',
  summary: 'Change the name, the image or the limit of a sub-account',
  params: SubAccountParams,
  body: SubAccountRequest,
  examples: {
    'Another name': { name: 'Faculty of Engineering and Science' },
    'A limit of its own': { name: 'Faculty of Engineering', monthlyLimit: 500 },
  },
  record: SubAccount,
  response: { 200: SubAccount },
  errors: ['not_found'],
  handler: (ctx, { params, body }) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      await holdStanding(tx, ctx)
      const before = await subAccountOf(tx, ctx.team, params.id)
      const values = {
        name: body.name.trim(),
        image: body.image === undefined ? before.image : (body.image ?? ''),
        monthly_limit: body.monthlyLimit === undefined ? before.monthly_limit : body.monthlyLimit,
      }
      await tx.updateTable('teams').set(values).where('id', '=', before.id).execute()
      await tx.audit({
        action: 'updateSubAccount',
        subject: String(before.id),
        before: { name: before.name, monthlyLimit: before.monthly_limit },
        after: { name: values.name, monthlyLimit: values.monthly_limit },
      })
      return tx.answer(told({ ...before, ...values }))
    }),
})

export const deleteSubAccount = operation({
  ...common,
  method: 'DELETE',
  url: '/subaccounts/:id',
  operationId: 'deleteSubAccount',
  summary: 'Delete a sub-account with its data',
  description:
    'Its keys open nothing a second later, for good, and it is in no list. Everything that it has is deleted, as with POST /data/delete; `deletion` is for GET /data/deletions/{id}.',
  params: SubAccountParams,
  response: { 200: Type.Object({ deletion: Type.String({ description: 'The id of the deletion' }) }) },
  errors: ['not_found'],
  handler: async (ctx, { params }) => {
    const { child, scope } = await managed(ctx, params.id)
    return ctx.db.transaction(scope, async (tx) => {
      await holdStanding(tx, ctx)
      const { name } = await teamOf(tx, child)
      const deletion = await closeTeam(tx, ctx, child)
      await tx.audit({ action: 'deleteSubAccount', subject: String(child), before: { name } })
      return tx.answer({ deletion })
    })
  },
})
