import { type Static, Type } from 'typebox'
import { parseDay, parseLastingInstant } from '../../ledger/read/instant.js'
import { ROLES } from '../../platform/database/tables.js'
import { invalid } from '../../platform/errors.js'
import { type MemberRules, textRules } from '../../platform/http/input/member-rules.js'
import { addressRules, MOST_IPS } from './ip-list.js'

const text = (description: string) => Type.String({ description })
const orNull = <Schema extends ReturnType<typeof text> | ReturnType<typeof Type.Integer>>(
  schema: Schema,
  description: string,
) => Type.Union([schema, Type.Null()], { description })

const RoleName = Type.Enum([...ROLES], { description: 'owner may do everything, member the daily work' })

/** The facts of a key that may be told. */
export const ApiKey = Type.Object({
  key: text('The public part: it names the key, and opens nothing'),
  kind: Type.Enum(['api', 'sponsor'], { description: 'sponsor: pays for what wallets sign, and opens nothing else' }),
  role: RoleName,
  alias: orNull(Type.String(), 'The name that its makers gave it'),
  ips: Type.Array(Type.String(), { description: 'The addresses and ranges that may use it; none: all may' }),
  created: text('The time of its making'),
  createdBy: orNull(
    Type.Integer(),
    'The person who made it, also with a temporary key; null for a lasting key or the operator',
  ),
  expires: orNull(Type.String({ format: 'date-time' }), 'The time of its end; null: it has none'),
  lastUsed: orNull(
    Type.String({ format: 'date-time' }),
    'The time of its last use, a minute late at most; null: it was never used',
  ),
  temporary: Type.Boolean({ description: 'It ends with its maker’s part in the team' }),
})
export type ApiKey = Static<typeof ApiKey>

/** The answer that holds the key itself. */
export const NewApiKey = Type.Object({
  ...ApiKey.properties,
  jwt: text('The key itself, shown only here'),
})

const Alias = Type.Union([Type.String({ maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }), Type.Null()], {
  description: 'A name for it, on one line',
})
const Ips = Type.Union([Type.Array(Type.String({ maxLength: 64 }), { maxItems: MOST_IPS }), Type.Null()], {
  description: 'The addresses and CIDR ranges, IPv4 or IPv6, that may use it; empty: all may',
})
const Expires = Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
  description:
    'The end of it: a full date (its midnight in UTC) or an instant with its time zone; without one it stays',
})

export const KeyRequest = Type.Object({
  alias: Type.Optional(Alias),
  ips: Type.Optional(Ips),
  role: Type.Optional(
    Type.Enum([...ROLES], { description: 'Its role, at most your own; member when left out. Not for a sponsor’s key' }),
  ),
  kind: Type.Enum(['api', 'sponsor'], {
    default: 'api',
    description: 'sponsor: for the header X-MOBILE-SPONSOR-KEY, where it pays for what a wallet’s DID signed',
  }),
  expires: Type.Optional(Expires),
})

export const KeyUpdate = Type.Object({
  alias: Type.Optional(Alias),
  ips: Type.Optional(Ips),
  expires: Type.Optional(Expires),
})

export const keyRules: MemberRules = (body) => [...addressRules(body.ips), ...textRules(body, { expires: instantOf })]

export const KeyParams = Type.Object({
  publicKey: Type.String({ minLength: 1, maxLength: 200, description: 'The public part of the key' }),
})

/** @throws 400 for a text that is neither a full date nor an instant with its time zone */
function instantOf(expires: string): Date {
  const instant = parseLastingInstant(expires) ?? parseDay(expires)
  if (instant === undefined)
    throw invalid('expires must be a full date as 2027-01-31, or an instant as 2027-01-31T12:00:00Z')
  return instant
}

/** Reads when a key shall end. @throws 400 for a time that is over */
export function endOf(expires: string | null | undefined, now: Date): Date | null {
  if (expires === undefined || expires === null || expires.trim() === '') return null
  const instant = instantOf(expires)
  if (instant <= now) throw invalid('expires must be in the future', { field: 'expires' })
  return instant
}
