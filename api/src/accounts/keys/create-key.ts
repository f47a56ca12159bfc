import type { Static } from 'typebox'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { endOf, KeyRequest, keyRules, NewApiKey } from './key.shape.js'
import { makeKey, refuseGreater } from './key.store.js'

export const createKey = operation({
  method: 'POST',
  url: '/keys',
  operationId: 'createKey',
  tags: ['keys'],
  summary: 'Make a key for your team',
  description:
    'The key itself (`jwt`) is shown only in this answer; what is stored is its SHA-256. A key outlives the person who made it. A retry with the same Idempotency-Key is 409: no answer shows a key again.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  body: KeyRequest,
  examples: {
    'A key for a server': { alias: 'Registrar’s office', role: 'member', ips: ['203.0.113.0/24', '2001:db8::/32'] },
    'A key of a sponsor': { kind: 'sponsor', alias: 'Wallets' },
  },
  rules: keyRules,
  response: { 200: NewApiKey },
  errors: ['too_many'],
  secretAnswer: true,
  handler: (ctx, { body }) => ctx.db.transaction(ctx.scope, (tx) => makeAskedKey(tx, ctx, body, ctx.team)),
})

/** Makes the key that a request asks for. @throws 403 for a role above the caller's */
export async function makeAskedKey(
  tx: Tx,
  ctx: Context,
  { alias, ips, role, kind, expires }: Static<typeof KeyRequest>,
  team: TeamId,
) {
  if (kind === 'sponsor' && role !== undefined) throw invalid('role: a sponsor’s key has none', { field: 'role' })
  const wanted = role ?? 'member'
  refuseGreater(ctx, wanted)
  const end = endOf(expires, ctx.clock.now())
  return makeKey(tx, ctx, {
    team,
    kind,
    role: wanted,
    ips: ips ?? [],
    ...(alias != null && alias.trim() !== '' && { alias: alias.trim() }),
    ...(end && { expires: end }),
  })
}
