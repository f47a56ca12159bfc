import { invalid } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { ApiKey, endOf, KeyParams, KeyUpdate, keyRules } from './key.shape.js'
import { changeKey, lockKey, refuseGreater } from './key.store.js'

export const updateKey = operation({
  method: 'PATCH',
  url: '/keys/:publicKey',
  operationId: 'updateKey',
  tags: ['keys'],
  summary: 'Change the name, the addresses or the end of a key',
  description: 'It holds a second later at the latest. The role of a key stays: make another key, and revoke this one.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: KeyParams,
  body: KeyUpdate,
  examples: { 'Two addresses': { ips: ['203.0.113.7', '203.0.113.8'] } },
  rules: keyRules,
  record: ApiKey,
  response: { 200: ApiKey },
  errors: ['not_found'],
  handler: (ctx, { params, body: { alias, ips, expires } }) => {
    if (alias === undefined && ips === undefined && expires === undefined)
      throw invalid('At least one of alias, ips and expires must be given')
    const now = ctx.clock.now()
    const change = {
      ...(alias !== undefined && { alias: alias?.trim() || null }),
      ...(ips !== undefined && { ips: ips ?? [] }),
      ...(expires !== undefined && { expires: endOf(expires, now) }),
    }
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const before = await lockKey(tx, ctx, ctx.team, params.publicKey)
      refuseGreater(ctx, before.role)
      if (before.temporary && expires !== undefined)
        throw invalid('expires: that of a temporary key stays', { field: 'expires' })
      return tx.answer(await changeKey(tx, ctx, ctx.team, { before, change }))
    })
  },
})
