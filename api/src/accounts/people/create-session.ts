import { Type } from 'typebox'
import type { Tx } from '../../platform/database/database.js'
import { ROLES } from '../../platform/database/tables.js'
import { invalid, notFound } from '../../platform/errors.js'
import type { Context, PublicContext } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { unauthorized } from '../../platform/security/authentication.js'
import { KEY_PREFIX } from '../../platform/security/key-prefix.js'
import type { SessionPrincipal } from '../../platform/security/principal.js'
import { holdMembership } from '../teams/member.store.js'
import { NameText, Team } from '../teams/team.shape.js'
import { teamsOfPerson } from '../teams/team.store.js'
import { firstTeamOf, insertOwnedTeam, personOf, personWith } from './person.store.js'
import { endOfSession, lockSessions, storeSession, useLink } from './sign-in.store.js'

/** The most teams that the answer lists; GET /teams has pages. */
const MOST_LISTED = 64

export const createSession = operation({
  method: 'POST',
  url: '/auth/sessions',
  operationId: 'createSession',
  tags: ['teams'],
  summary: 'Sign in with the token of a link, or go on in another team',
  description:
    'The session goes into the header SVC-WEB-TOKEN, and opens what concerns teams, keys and sub-accounts, for one team and with the role that the person has in it. A token works once. A person who is in no team gets one. With a session and `teamId` instead of a token, the answer is a session in another team of the same person, which ends when the first one does.',
  auth: 'signIn',
  role: 'member',
  tenancy: 'system',
  body: Type.Object({
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'The token of the link' })),
    teamId: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'A team of yours; when left out, the oldest that you own, or are in',
      }),
    ),
    name: Type.Optional(NameText('The name of a new person; else that before the @')),
    teamName: Type.Optional(NameText('The name of the team of a person who is in none')),
  }),
  examples: { 'The token of a mail': { token: EXAMPLE.token, name: 'Ayşe Yılmaz', teamName: 'Bilkent University' } },
  response: {
    200: Type.Object({
      token: Type.String({ description: 'The session, shown only here' }),
      expires: Type.String({ description: 'The time of its end' }),
      userId: Type.Integer({ description: 'The person' }),
      teamId: Type.Integer({ description: 'The team that the session is for' }),
      role: Type.Enum([...ROLES], { description: 'The role of the person in it' }),
      teams: Type.Array(Team, { description: 'The teams of the person, newest first' }),
    }),
  },
  errors: ['unauthorized', 'not_found', 'forbidden'],
  secretAnswer: true,
  limits: { bodyBytes: 4096, concurrencyPerAddress: 8 },
  handler: async (ctx, { body }) => {
    const { teamId, name, teamName } = body
    const now = ctx.clock.now()
    const token = KEY_PREFIX.session[ctx.config.environment] + ctx.random.hex(32)
    return ctx.db.transaction('system', async (tx) => {
      const { person, expires } = await whoSignsIn(tx, ctx, { token: body.token, teamId, name, now })
      const by = { actor: `user:${person.id}`, address: ctx.address, requestId: ctx.requestId }
      const place =
        teamId === undefined ? await placeToBegin(tx, person.id) : await holdMembership(tx, person.id, teamId)
      if (place === undefined && teamId !== undefined) throw notFound('Team')
      const own = teamName?.trim() ?? `Team of ${person.name}`
      const { team, role } = place ?? {
        team: await insertOwnedTeam(tx, { name: own, userId: person.id, by }),
        role: 'owner' as const,
      }
      await storeSession(tx, { token, userId: person.id, team, now, expires })
      await tx.audit({
        action: 'createSession',
        subject: String(person.id),
        team,
        by,
        after: { expires: expires.toISOString() },
      })
      const teams = await teamsOfPerson(tx, person.id, { offset: 0, limit: MOST_LISTED })
      return { token, expires: expires.toISOString(), userId: person.id, teamId: team, role, teams }
    })
  },
})

/** Holds the team in which a person begins; undefined for a person who is in none. */
async function placeToBegin(tx: Tx, userId: number) {
  for (;;) {
    const first = await firstTeamOf(tx, userId)
    const held = first && (await holdMembership(tx, userId, first.team))
    if (!first || held) return held
  }
}

interface Asked {
  token: string | undefined
  teamId: number | undefined
  name: string | undefined
  now: Date
}

/** Returns the person, and when the session ends: one that begins with another session ends with it. */
async function whoSignsIn(
  tx: Tx,
  { principal, config }: PublicContext | Context<SessionPrincipal>,
  { token, teamId, name, now }: Asked,
) {
  if (token !== undefined) {
    const person = await personWith(tx, await useLink(tx, token, now), name)
    return { person, expires: new Date(now.getTime() + config.sessionSeconds * 1000) }
  }
  if (principal.kind === 'public') throw invalid('token is missing: POST /auth/links sends one', { field: 'token' })
  if (teamId === undefined) throw invalid('teamId is missing: the team to go on in', { field: 'teamId' })
  await lockSessions(tx, principal.userId)
  const expires = await endOfSession(tx, principal.sessionId)
  if (expires === undefined) throw unauthorized('The session is over: sign in again')
  return { person: await personOf(tx, principal.userId), expires }
}
