import { Type } from 'typebox'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { makeAskedKey } from '../keys/create-key.js'
import { ApiKey, KeyRequest, keyRules } from '../keys/key.shape.js'
import { endKeys, keysOf, lockKey, refuseGreater } from '../keys/key.store.js'
import { managed, SubAccountKeyParams, SubAccountParams } from './subaccount.store.js'

const common = { tags: ['subaccounts'], auth: 'account', role: 'administrator', tenancy: 'owned' } as const

const SubAccountKey = Type.Object({
  id: Type.String({ description: 'The id of the key: its public part' }),
  ...ApiKey.properties,
})

export const listSubAccountKeys = operation({
  ...common,
  method: 'GET',
  url: '/subaccounts/:id/keys',
  operationId: 'listSubAccountKeys',
  summary: 'List the keys of a sub-account that open something',
  description: 'Newest first; never a key itself.',
  params: SubAccountParams,
  querystring: pageQuery(),
  response: { 200: Type.Array(SubAccountKey) },
  errors: ['not_found'],
  handler: async (ctx, { params, query }) => {
    const { child, scope } = await managed(ctx, params.id)
    const keys = await ctx.db.read(scope, (reader) => keysOf(reader, child, query, ctx.clock.now()))
    return keys.map((key) => ({ id: key.key, ...key }))
  },
})

export const createSubAccountKey = operation({
  ...common,
  method: 'POST',
  url: '/subaccounts/:id/keys',
  operationId: 'createSubAccountKey',
  summary: 'Make a key for a sub-account',
  description: 'The key itself (`token`) is shown only in this answer. It acts inside the sub-account alone.',
  params: SubAccountParams,
  body: KeyRequest,
  examples: { 'A key for its server': { alias: 'Faculty server' } },
  rules: keyRules,
  response: {
    200: Type.Object({
      ...SubAccountKey.properties,
      token: Type.String({ description: 'The key itself, shown only here' }),
    }),
  },
  errors: ['not_found', 'too_many'],
  secretAnswer: true,
  handler: async (ctx, { params, body }) => {
    const { child, scope } = await managed(ctx, params.id)
    return ctx.db.transaction(scope, async (tx) => {
      const { jwt: token, ...key } = await makeAskedKey(tx, ctx, body, child)
      await tx.audit({ action: 'createSubAccountKey', subject: key.key, after: { subAccount: child, role: key.role } })
      return { id: key.key, ...key, token }
    })
  },
})

export const deleteSubAccountKey = operation({
  ...common,
  method: 'DELETE',
  url: '/subaccounts/:id/keys/:keyId',
  operationId: 'deleteSubAccountKey',
  summary: 'Revoke a key of a sub-account',
  description: 'It opens nothing a second later at the latest.',
  params: SubAccountKeyParams,
  response: { 200: NothingToSay },
  errors: ['not_found'],
  handler: async (ctx, { params }) => {
    const { child, scope } = await managed(ctx, params.id)
    return ctx.db.transaction(scope, async (tx) => {
      const key = await lockKey(tx, ctx, child, params.keyId)
      refuseGreater(ctx, key.role)
      await endKeys(tx, ctx, [{ team: child, key }])
      await tx.audit({ action: 'deleteSubAccountKey', subject: key.key, before: { subAccount: child, role: key.role } })
      return tx.answer({})
    })
  },
})
