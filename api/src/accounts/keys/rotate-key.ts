import { Type } from 'typebox'
import { invalid } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { KeyParams, NewApiKey } from './key.shape.js'
import { changeKey, endKeys, lockKey, makeKey, refuseGreater } from './key.store.js'

const MOST_OVERLAP_SECONDS = 604_800

export const rotateKey = operation({
  method: 'POST',
  url: '/keys/:publicKey/rotate',
  operationId: 'rotateKey',
  tags: ['keys'],
  summary: 'Replace a key by another one of the same kind',
  description:
    'The answer is the new key, with the name, the addresses, the role and the end of the old one. Both open the same until the overlap is over; then the old one ends.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: KeyParams,
  body: Type.Object({
    overlapSeconds: Type.Integer({
      minimum: 0,
      maximum: MOST_OVERLAP_SECONDS,
      default: 3600,
      description: 'The time that the old key still works; 0: it ends at once',
    }),
  }),
  examples: { 'A day to change over': { overlapSeconds: 86_400 } },
  response: { 200: NewApiKey },
  errors: ['not_found', 'too_many'],
  secretAnswer: true,
  handler: (ctx, { params, body: { overlapSeconds } }) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      const now = ctx.clock.now()
      const { team } = ctx
      const old = await lockKey(tx, ctx, team, params.publicKey)
      refuseGreater(ctx, old.role)
      if (old.temporary) throw invalid('A temporary key is not rotated: make another one')
      const { kind, role, ips, alias, expires } = old
      const end = expires === null ? undefined : new Date(expires)
      const made = await makeKey(tx, ctx, {
        team,
        kind,
        role,
        ips,
        ...(alias !== null && { alias }),
        ...(end && { expires: end }),
      })
      const last = new Date(now.getTime() + overlapSeconds * 1000)
      if (overlapSeconds === 0) await endKeys(tx, ctx, [{ team, key: old }])
      else if (end === undefined || end > last)
        await changeKey(tx, ctx, team, { before: old, change: { expires: last } })
      return made
    }),
})
