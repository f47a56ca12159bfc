import { createHmac } from 'node:crypto'
import { seal, unseal } from '@accredit/process/seal'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { TeamId } from '../platform/database/ids.js'
import type { Environment } from '../platform/http/context.js'

const WebhookSecrets = Type.Object({
  token: Type.String(),
  signingSecret: Type.String(),
  previous: Type.Optional(Type.Object({ signingSecret: Type.String(), until: Type.String() })),
})

/**
 * The secrets of a web hook: the token that stands in every body, and the one that signs, which receivers have and
 * nobody is sent. The one before it signs too for a day, so that receivers can change.
 */
export type WebhookSecrets = Static<typeof WebhookSecrets>

const PREFIX = 'whsec_'
const OVERLAP_MS = 86_400_000

type Keys = Pick<Environment, 'deriveKey' | 'random'>

const newSigningSecret = ({ random }: Keys): string => `${PREFIX}${Buffer.from(random.bytes(32)).toString('base64')}`

export const newSecrets = (keys: Keys): WebhookSecrets => ({
  token: keys.random.hex(32),
  signingSecret: newSigningSecret(keys),
})

export const rotated = (keys: Keys, { token, signingSecret }: WebhookSecrets, now: Date): WebhookSecrets => ({
  token,
  signingSecret: newSigningSecret(keys),
  previous: { signingSecret, until: new Date(now.getTime() + OVERLAP_MS).toISOString() },
})

const boundTo = (team: TeamId, id: string): string => `${team} ${id}`
const keyOf = ({ deriveKey }: Pick<Keys, 'deriveKey'>): Buffer => deriveKey('webhook-secrets')

export function sealSecrets(keys: Keys, hook: { team: TeamId; id: string }, secrets: WebhookSecrets): Buffer {
  const plain = Buffer.from(JSON.stringify(secrets))
  return seal(keyOf(keys), plain, boundTo(hook.team, hook.id), keys.random.bytes)
}

/** @throws when they were sealed under another service key, or for another web hook */
export function openSecrets(
  keys: Pick<Keys, 'deriveKey'>,
  { team_id, id, sealed }: { team_id: TeamId; id: string; sealed: Buffer },
): WebhookSecrets {
  const secrets: unknown = JSON.parse(unseal(keyOf(keys), sealed, boundTo(team_id, id)).toString())
  if (!Check(WebhookSecrets, secrets)) throw new Error('the secrets of a web hook have another shape')
  return secrets
}

/** Returns the headers of Standard Webhooks. https://github.com/standard-webhooks/standard-webhooks */
export function signedHeaders(
  { signingSecret, previous }: WebhookSecrets,
  message: string,
  body: string,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signatureBy = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${message}.${timestamp}.${body}`).digest('base64')}`
  }
  const isKept = previous !== undefined && now < new Date(previous.until)
  const secrets = isKept ? [signingSecret, previous.signingSecret] : [signingSecret]
  return {
    'webhook-id': message,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(signatureBy).join(' '),
  }
}
