import { Type } from 'typebox'
import { json } from '../../platform/database/tables.js'
import { operation } from '../../platform/http/operation.js'

const Answers = Type.Object({}, { additionalProperties: true, description: 'The answers, as they were sent' })

export const storeOnboarding = operation({
  method: 'POST',
  url: '/data/onboarding',
  operationId: 'storeOnboarding',
  tags: ['data'],
  summary: 'Store what a person answered when signing up',
  description:
    'Any object of at most 16 kB. It is the person’s, replaces what was sent before, and nothing here decides by it.',
  auth: 'session',
  role: 'member',
  tenancy: 'system',
  body: Answers,
  limits: { bodyBytes: 16_384 },
  examples: { 'Two answers': { purpose: 'Diplomas', size: '50 to 100' } },
  response: { 200: Answers },
  idempotent: false,
  handler: (ctx, { body }) =>
    ctx.db.transaction('system', async (tx) => {
      const values = { data: json(body), updated: ctx.clock.now() }
      tx.defer(
        tx
          .insertInto('onboarding')
          .values({ user_id: ctx.principal.userId, ...values })
          .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values)),
      )
      const after = { answers: Object.keys(body).length }
      await tx.audit({ action: 'storeOnboarding', team: ctx.team, by: ctx.scope, after })
      return body
    }),
})
