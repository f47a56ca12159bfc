import { hkdfSync } from 'node:crypto'
import { type Did, type Hex32, parseDid, parseHex32 } from '@accredit/chain'
import { errors, jwtVerify, SignJWT } from 'jose'
import { Type } from 'typebox'
import { Compile } from 'typebox/schema'
import type { TeamId } from '../../platform/database/ids.js'
import { ApiError, invalid } from '../../platform/http/errors.js'
import { parseUrl } from '../../platform/http/input/parse-url.js'

/**
 * The claims of an invitation. `id` is the registry's; `convener` and `team` are those that asked for it, without which
 * it is void; schemas are URIs or hashes, as the convener named them.
 */
export interface Invitation {
  id: Hex32
  convener: Did
  team: TeamId
  nonce: string
  isTestmode: boolean
  issuerSchemas: string[]
  verifierSchemas: string[]
  expires: Date
}

const Claims = Compile(
  Type.Object({
    id: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
    convener: Type.String(),
    team: Type.Unsafe<TeamId>(Type.Integer({ minimum: 1 })),
    nonce: Type.String({ pattern: '^[0-9a-f]{32}$' }),
    isTestmode: Type.Boolean(),
    exp: Type.Number(),
    issuerSchemas: Type.Optional(Type.Array(Type.String())),
    verifierSchemas: Type.Optional(Type.Array(Type.String())),
  }),
)

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000)

/** Derives the key of this deployment's invitations, which opens nothing else. */
export const invitationKey = (deploymentSecret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', deploymentSecret, new Uint8Array(0), 'accredit/ecosystem-invitation/v1', 64))

/** Signs a JWT (RFC 7519) by HS512. Empty lists of schemas are left out. */
export function signInvitation(
  key: Uint8Array,
  invitation: Omit<Invitation, 'expires'>,
  now: Date,
  maxAgeSeconds: number,
): Promise<string> {
  const { id, convener, team, nonce, isTestmode, issuerSchemas, verifierSchemas } = invitation
  return new SignJWT({
    id,
    convener,
    team,
    isTestmode,
    nonce,
    ...(issuerSchemas.length > 0 && { issuerSchemas }),
    ...(verifierSchemas.length > 0 && { verifierSchemas }),
  })
    .setProtectedHeader({ alg: 'HS512', typ: 'JWT' })
    .setIssuedAt(seconds(now))
    .setExpirationTime(seconds(now) + maxAgeSeconds)
    .sign(key)
}

/** Reads a token as it was pasted: by itself, or in the whole link. */
function tokenIn(text: string): string {
  const given = text.trim()
  if (!/^https?:/i.test(given)) return given
  const token = parseUrl(given)?.searchParams.get('token')
  if (!token) throw invalid('token is a link without a token: send the whole link of the invitation')
  return token
}

/**
 * Returns the invitation in a token that this deployment signed. Throws `invite_token_expired`, or `invalid_request`
 * for anything else.
 */
export async function readInvitation(key: Uint8Array, token: string, now: Date): Promise<Invitation> {
  const payload = await verified(key, tokenIn(token), now)
  if (!Claims.Check(payload)) throw invalid('token is not an invitation')
  const [id, convener] = [parseHex32(payload.id), parseDid(payload.convener)]
  if (id === undefined || convener === undefined) throw invalid('token is not an invitation')
  const { team, nonce, isTestmode, issuerSchemas = [], verifierSchemas = [], exp } = payload
  return { id, convener, team, nonce, isTestmode, issuerSchemas, verifierSchemas, expires: new Date(exp * 1000) }
}

async function verified(key: Uint8Array, token: string, now: Date): Promise<unknown> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS512'],
      currentDate: now,
      requiredClaims: ['exp', 'iat'],
    })
    return payload
  } catch (cause) {
    if (cause instanceof errors.JWTExpired)
      throw new ApiError('invite_token_expired', 'This invitation has expired: ask the ecosystem for a new one', {
        cause,
        ...(cause.payload.exp !== undefined && {
          members: { expired: new Date(cause.payload.exp * 1000).toISOString() },
        }),
      })
    if (cause instanceof errors.JOSEError)
      throw new ApiError('invalid_request', 'token is not an invitation of this service', { cause })
    throw cause
  }
}

/** The token stands first and alone in the query: clients split the link at `?token=`. */
export const invitationLink = (webUrl: string, token: string): string => `${webUrl}/ecosystems?token=${token}`
