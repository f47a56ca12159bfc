import { Type } from 'typebox'
import { isAtLeast } from '../../platform/database/tables.js'
import { ApiError, invalid, notFound } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { subAccountOf } from '../subaccounts/subaccount.store.js'
import { holdMembership, membershipOf } from '../teams/member.store.js'
import { makeKey } from './key.store.js'

/** A temporary key ends after this time. */
const LIFETIME_MS = 3_600_000

export const createTemporaryKey = operation({
  method: 'POST',
  url: '/keys/temporary-key',
  operationId: 'createTemporaryKey',
  tags: ['keys'],
  summary: 'Make a key for an hour, for a team of yours',
  description:
    'For a person who signed in. The key has the role that the person has in the team, and ends with it. With `subaccount` it is a key of that sub-account of the team: the only way in which the parent reads its contents, for administrators and owners.',
  auth: 'session',
  role: 'member',
  tenancy: 'owned',
  body: Type.Object({
    selectedTeamId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'A team of yours' }),
    isTestmode: Type.Boolean({ description: 'true in the sandbox, false in production' }),
    subaccount: Type.Optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'A sub-account of the team' }),
    ),
  }),
  examples: { 'An hour of work': { selectedTeamId: EXAMPLE.number, isTestmode: true } },
  response: {
    200: Type.Object({
      key: Type.String({ description: 'The key, shown only here' }),
      selectedTeamId: Type.Integer({ description: 'The team whose key it is, or the parent of the sub-account' }),
      subaccount: Type.Optional(Type.Integer({ description: 'The sub-account whose key it is' })),
      expires: Type.String({ description: 'The time of its end' }),
    }),
  },
  errors: ['not_found', 'forbidden', 'too_many'],
  secretAnswer: true,
  handler: async (ctx, { body: { selectedTeamId, isTestmode, subaccount } }) => {
    const { environment } = ctx.config
    if (isTestmode !== (environment === 'sandbox'))
      throw invalid(`isTestmode: this is the ${environment} environment`, { field: 'isTestmode' })
    const { userId } = ctx.principal
    const found = await ctx.db.read('system', (reader) => membershipOf(reader, userId, selectedTeamId))
    if (!found) throw notFound('Team')
    const parent = found.team
    const expires = new Date(ctx.clock.now().getTime() + LIFETIME_MS)
    return ctx.db.transaction({ ...ctx.scope, teams: [parent, ctx.team] }, async (tx) => {
      const member = await holdMembership(tx, userId, parent)
      if (!member) throw notFound('Team')
      if (subaccount !== undefined && !isAtLeast(member.role, 'administrator'))
        throw new ApiError('forbidden', 'A key of a sub-account needs the role administrator in its parent')
      const child = subaccount === undefined ? undefined : await subAccountOf(tx, parent, subaccount)
      if (child) tx.alsoSees([child.id])
      const team = child?.id ?? parent
      const made = await makeKey(tx, ctx, { team, role: member.role, expires, isTemporary: true })
      // The parent's people see who opened which of its sub-accounts.
      if (child)
        await tx.audit({ action: 'openSubAccount', subject: String(child.id), team: parent, changes: 'nothing' })
      return {
        key: made.jwt,
        selectedTeamId: parent,
        ...(child && { subaccount: child.id }),
        expires: expires.toISOString(),
      }
    })
  },
})
