import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { KeyParams } from './key.shape.js'
import { endKeys, lockKey, refuseGreater } from './key.store.js'

export const deleteKey = operation({
  method: 'DELETE',
  url: '/keys/:publicKey',
  operationId: 'deleteKey',
  tags: ['keys'],
  summary: 'Revoke a key for good',
  description: 'It opens nothing a second later at the latest.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: KeyParams,
  response: { 200: Type.Object({ revoked: Type.Boolean({ description: 'true: it opens nothing' }) }) },
  errors: ['not_found'],
  handler: (ctx, { params }) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      const key = await lockKey(tx, ctx, ctx.team, params.publicKey)
      refuseGreater(ctx, key.role)
      await endKeys(tx, ctx, [{ team: ctx.team, key }])
      return tx.answer({ revoked: true })
    }),
})
