import { Type } from 'typebox'
import { parseDay, parseInstant } from '../ledger/read/instant.js'
import { invalid } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { pageQuery } from '../platform/http/pagination.js'
import { EXPIRING, expirationsOf } from './expiration.store.js'

const DAY_MS = 86_400_000

const Kind = Type.Enum([...EXPIRING], {
  description: 'key: an API key; team_invitation: into the team; invitation: into a trust registry of the team',
})

const Expiration = Type.Object({
  kind: Kind,
  id: Type.String({
    description: 'The public part of a key, the id of an invitation into the team, or the nonce in the token of one',
  }),
  registryId: Type.Optional(Type.String({ description: 'The trust registry of an invitation' })),
  expires: Type.String({ format: 'date-time', description: 'The time at which it is over' }),
})

export const listExpirations = operation({
  method: 'GET',
  url: '/expirations',
  operationId: 'listExpirations',
  tags: ['teams'],
  summary: 'List what of your team expires, the soonest first',
  description:
    'API keys but for temporary ones, invitations into the team that nobody answered, and invitations into its trust registries. Web hooks are told a week before the end, or with the last quarter of a shorter life (key_expiring and the others).',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  querystring: Type.Object({
    ...pageQuery().properties,
    kind: Type.Optional(Kind),
    until: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Only what is over by then: a full date (its last millisecond in UTC) or an instant with its time zone',
      }),
    ),
  }),
  response: { 200: Type.Array(Expiration) },
  handler: async (ctx, { query: { kind, until, ...page } }) => {
    const filter = { kind, until: until === undefined ? undefined : endOf(until) }
    const of = { team: ctx.team, now: ctx.clock.now() }
    // Another team that took an invitation noted it in a row of its own.
    const rows = await ctx.db.read('system', (reader) => expirationsOf(reader, of, filter, page))
    return rows.map(({ registryId, expires, ...row }) => ({
      ...row,
      ...(registryId !== null && { registryId }),
      expires: expires.toISOString(),
    }))
  },
})

function endOf(text: string): Date {
  const day = parseDay(text)
  if (day !== undefined) return new Date(day.getTime() + DAY_MS - 1)
  const instant = parseInstant(text)
  if (instant === undefined)
    throw invalid('until must be a full date, or an instant with its time zone', { field: 'until' })
  return instant
}
