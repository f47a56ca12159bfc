import { createHash } from 'node:crypto'
import { parseHex32 } from '@accredit/chain'
import { DidDocuments } from '../dids/foreign/did-documents.js'
import { type Jws, readJws } from '../formats/compact/jws.js'
import { jwsAlgorithm } from '../formats/compact/jws-algorithms.js'
import { keyIdOf } from '../formats/compact/jws-proof.js'
import { numericDate, textClaim } from '../formats/compact/registered-claims.js'
import { FormatError } from '../formats/format-error.js'
import type { Json, JsonObject } from '../formats/json.js'
import { resolveAt } from '../ledger/read/at.js'
import { ApiError } from '../platform/errors.js'
import type { SponsorContext } from '../platform/http/context.js'
import { keyAt } from '../verification/key-at.js'

/** The consent of a wallet's DID to one request. */
export interface WalletToken {
  /** The DID. */
  did: string
  /** The digest of what it signed. */
  digest: Buffer
  expires: Date
}

/** The request as the token has to repeat it. */
export interface Repeated {
  registryId: string
  body: JsonObject
}

const LONGEST_SECONDS = 120
/** The difference between a wallet's clock and ours that is no fault. */
const AHEAD_SECONDS = 60

const refused = (why: string): ApiError =>
  new ApiError('unauthorized', `Authorization must be Bearer and a JWT that the wallet's DID signed: ${why}`, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })

/**
 * Reads the JWT that a wallet's DID signed for this very request: for this service, these members, and two minutes at most.
 * @throws 401
 */
export async function walletToken(ctx: SponsorContext, asked: Repeated): Promise<WalletToken> {
  const token = /^Bearer +(\S+)$/i.exec(ctx.authorization?.trim() ?? '')?.[1]
  if (token === undefined) throw refused('there is none')
  try {
    const jws = readJws(token)
    const did = textClaim(jws.payload, 'iss')
    if (did === undefined) throw refused('its iss names no DID')
    const expires = checkTimes(jws.payload, ctx.clock.now())
    checkClaims(jws.payload, ctx.config.apiUrl, asked)
    await checkSignature(ctx, jws, did)
    return { did, digest: digestOf(token), expires }
  } catch (error) {
    if (error instanceof FormatError) throw refused(error.message)
    throw error
  }
}

/** Another signature over the same would be the same request. */
const digestOf = (token: string): Buffer =>
  createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest()

function checkTimes(payload: JsonObject, now: Date): Date {
  const [issued, expires] = [numericDate(payload, 'iat'), numericDate(payload, 'exp')]
  if (issued === undefined || expires === undefined) throw refused('it has no iat or no exp')
  const seconds = now.getTime() / 1000
  if (issued > seconds + AHEAD_SECONDS || (numericDate(payload, 'nbf') ?? issued) > seconds + AHEAD_SECONDS)
    throw refused('it is not valid yet')
  if (expires <= seconds) throw refused('it has expired')
  if (expires <= issued || expires > issued + LONGEST_SECONDS)
    throw refused(`it is valid for longer than ${LONGEST_SECONDS} seconds`)
  return new Date(expires * 1000)
}

function checkClaims(payload: JsonObject, apiUrl: string, { registryId, body }: Repeated): void {
  if (payload.aud !== apiUrl) throw refused(`its aud is not ${apiUrl}`)
  const named = typeof payload.registryId === 'string' ? parseHex32(payload.registryId) : undefined
  if (named !== registryId) throw refused('its registryId is not that of the request')
  for (const [name, value] of Object.entries(body))
    if (!isSame(payload[name], value)) throw refused(`its ${name} is not that of the request`)
}

/** An index is a number in some wallets and a text in others. */
const isSame = (claim: Json | undefined, value: Json): boolean =>
  claim !== undefined && claim !== null && typeof claim !== 'object' && String(claim) === String(value)

async function checkSignature(ctx: SponsorContext, { token, header }: Jws, did: string): Promise<void> {
  const { alg, typ, kid } = header
  if (alg !== 'EdDSA' || typ !== 'jwt') throw refused('its header is not of a JWT with EdDSA')
  const id = keyIdOf(kid === did ? undefined : kid, did)
  if (id === undefined || id.split('#')[0] !== did) throw refused('its kid is no key of its iss')
  const at = await resolveAt(ctx.index, undefined, ctx.clock)
  const door = { index: ctx.index, db: ctx.db, didDocuments: new DidDocuments(ctx) }
  const created = new Date(ctx.clock.now())
  const { publicKey, finding } = await keyAt(door, { id, purpose: 'authentication', kind: 'Ed25519', created, at })
  if (publicKey === undefined || finding.passed !== true) throw refused(finding.detail ?? 'its key cannot be had')
  if (!(await jwsAlgorithm('EdDSA')?.verify(token, publicKey))) throw refused('its signature is not right')
}
