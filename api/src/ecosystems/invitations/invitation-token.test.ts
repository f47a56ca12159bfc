import { didKey, hex32Of, hexOf } from '@accredit/chain'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { Type } from 'typebox'
import { Compile } from 'typebox/schema'
import { expect, test } from 'vitest'
import type { TeamId } from '../../platform/database/ids.js'
import { ApiError } from '../../platform/http/errors.js'
import { type Invitation, invitationKey, invitationLink, readInvitation, signInvitation } from './invitation-token.js'

const key = invitationKey(new Uint8Array(32).fill(7))
const now = new Date('2026-05-01T12:00:00.500Z')
const convener = didKey({ kind: 'Ed25519', publicKey: hexOf(new Uint8Array(32).fill(2)) })
if (convener === undefined) throw new TypeError('an Ed25519 key is a did:key')
const invitation: Omit<Invitation, 'expires'> = {
  id: hex32Of(new Uint8Array(32).fill(1)),
  convener,
  team: Compile(Type.Unsafe<TeamId>(Type.Integer())).Parse(7),
  nonce: 'ab'.repeat(16),
  isTestmode: true,
  issuerSchemas: ['https://schema.example/A.json'],
  verifierSchemas: [],
}
const signed = (claims: object) => new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS512' }).sign(key)
const typeOf = async (promise: Promise<unknown>) =>
  promise.then(
    () => 'read',
    (error: unknown) => (error instanceof ApiError ? error.type : String(error)),
  )

test('an invitation is a JWT with HS512 and the claims that clients know', async () => {
  const token = await signInvitation(key, invitation, now, 604_800)
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS512', typ: 'JWT' })
  const iat = Math.floor(now.getTime() / 1000)
  const { verifierSchemas: _, ...claims } = invitation
  expect(decodeJwt(token)).toEqual({ ...claims, iat, exp: iat + 604_800 })
  expect(await readInvitation(key, ` ${token} `, now)).toEqual({
    ...invitation,
    expires: new Date((iat + 604_800) * 1000),
  })
})

test('an invitation is good until its last second, and says when it has expired', async () => {
  const token = await signInvitation(key, invitation, now, 60)
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  expect(await typeOf(readInvitation(key, token, after(59)))).toBe('read')
  expect(await typeOf(readInvitation(key, token, after(60)))).toBe('invite_token_expired')
})

test('nothing but a token of this deployment is read', async () => {
  const token = await signInvitation(key, invitation, now, 60)
  const [header, payload = '', signature] = token.split('.')
  const claims = JSON.stringify({ ...decodeJwt(token), issuerSchemas: ['https://schema.example/B.json'] })
  const forged = [
    [header, Buffer.from(claims).toString('base64url'), signature].join('.'),
    [Buffer.from('{"alg":"none"}').toString('base64url'), payload, ''].join('.'),
    await signInvitation(invitationKey(new Uint8Array(32)), invitation, now, 60),
    await new SignJWT({ ...decodeJwt(token) }).setProtectedHeader({ alg: 'HS256' }).sign(key),
    await new SignJWT({ id: 'x' })
      .setProtectedHeader({ alg: 'HS512' })
      .setIssuedAt(0)
      .setExpirationTime('9999d')
      .sign(key),
    await new SignJWT({ ...invitation }).setProtectedHeader({ alg: 'HS512' }).sign(key),
    ...(await Promise.all(['convener', 'team'].map((claim) => signed({ ...decodeJwt(token), [claim]: undefined })))),
    await signed({ ...decodeJwt(token), convener: 'did:web:example.org' }),
    '',
    'x',
    'a.b.c',
    '\u202e',
    '🎓',
    'x'.repeat(10_000),
  ]
  for (const text of forged) expect(await typeOf(readInvitation(key, text, now))).toBe('invalid_request')
})

test('the token is the first and only query parameter of the link', () => {
  const link = invitationLink('https://web.example', 'a.b.c')
  expect(link).toBe('https://web.example/ecosystems?token=a.b.c')
  expect(link.split('?token=')[1]).toBe('a.b.c')
})
