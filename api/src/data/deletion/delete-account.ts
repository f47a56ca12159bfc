import { Type } from 'typebox'
import { recipientMark } from '../../accounts/mail/mail.store.js'
import { forgetPerson, lockMemberships } from '../../accounts/people/forget-person.store.js'
import { personOf } from '../../accounts/people/person.store.js'
import { holdStanding } from '../../accounts/standing.js'
import { closeTeams } from '../../accounts/teams/close-team.store.js'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { tellJournal } from '../../platform/database/tell-journal.js'
import { ApiError } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { Deleted, requireMeant, Validation } from './asked-deletion.js'

export const deleteAccount = operation({
  method: 'POST',
  url: '/data/accountdelete',
  operationId: 'deleteAccount',
  tags: ['data'],
  summary: 'Delete your account',
  description:
    'With a session: the person, with the teams that the person owns, as POST /data/delete deletes them; the person leaves all others, whose keys stay. 409 while another team than that of the session is owned and has further people: transfer or delete it first. With a key, which is no person: the team, and `validation` is needed.',
  auth: 'account',
  role: 'owner',
  tenancy: 'owned',
  body: Type.Object({
    reason: Type.Optional(Type.String({ maxLength: 2000, description: 'Is not kept' })),
    validation: Type.Optional(Validation),
  }),
  examples: { 'The address of the person': { validation: 'owner@example.org' } },
  response: { 200: Deleted },
  errors: ['conflict'],
  idempotent: false,
  limits: { bodyBytes: 16_384 },
  handler: (ctx, { body }) =>
    ctx.db.transaction('system', async (tx) => {
      const { principal } = ctx
      await holdStanding(tx, ctx)
      if (principal.kind === 'session') await lockMemberships(tx, principal.userId)
      // A program that tries everything must not end the team of its key.
      if (body.validation !== undefined || principal.kind === 'key') await requireMeant(tx, ctx, body.validation ?? '')
      const teams = principal.kind === 'session' ? await ownedTeams(tx, ctx, principal.userId) : [ctx.team]
      const deletions = await closeTeams(tx, ctx, teams)
      if (principal.kind === 'session') await leave(tx, ctx, principal.userId)
      return { code: 200, deletions }
    }),
})

/** Returns the teams of an owner. @throws 409 where another one than the caller's has further people */
async function ownedTeams(tx: Tx, ctx: Context, userId: number): Promise<TeamId[]> {
  const owned = await tx
    .selectFrom('team_members as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .select('t.id')
    .select(({ selectFrom, exists }) =>
      exists(selectFrom('team_members as o').whereRef('o.team_id', '=', 't.id').where('o.user_id', '<>', userId)).as(
        'hasOthers',
      ),
    )
    .where('m.user_id', '=', userId)
    .where('m.role', '=', 'owner')
    .where('t.closed', 'is', null)
    .orderBy('t.id')
    .execute()
  const others = owned.filter(({ id, hasOthers }) => hasOthers && id !== ctx.team)
  if (others.length > 0)
    throw new ApiError(
      'conflict',
      `You own teams with further people (${others.map(({ id }) => id).join(', ')}): transfer or delete them first`,
    )
  return owned.map(({ id }) => id)
}

async function leave(tx: Tx, ctx: Context, userId: number): Promise<void> {
  const { created, ...person } = await personOf(tx, userId)
  const teams = await tx
    .selectFrom('team_members as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .select(['m.team_id', 'm.role'])
    .where('m.user_id', '=', userId)
    .where('t.closed', 'is', null)
    .execute()
  for (const { team_id: team, role } of teams)
    await tx.audit({
      action: 'deleteAccount',
      subject: String(userId),
      team,
      by: { actor: ctx.scope.actor },
      before: { role },
    })
  await forgetPerson(tx, ctx, person)
  const forgotten = {
    number: userId,
    created: created.toISOString(),
    ...(person.email !== null && { address: recipientMark(ctx, person.email).toString('hex') }),
  }
  await tellJournal(tx, ctx, [{ id: ctx.random.uuid(), person: forgotten }])
}
