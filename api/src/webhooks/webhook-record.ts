import type { Static } from 'typebox'
import type { Environment } from '../platform/http/context.js'
import type { Webhook, WebhookWithSecret } from './webhook.shape.js'
import type { WebhookRow } from './webhook.store.js'
import { openSecrets, type WebhookSecrets } from './webhook-secrets.js'

type Keys = Pick<Environment, 'deriveKey'>

/** Returns a web hook as its team reads it. */
export function webhookRecord(
  keys: Keys,
  row: WebhookRow,
  { token }: Pick<WebhookSecrets, 'token'> = openSecrets(keys, row),
): Static<typeof Webhook> {
  const { id, url, description, status, events } = row
  return {
    id,
    url,
    description,
    status,
    events,
    created: row.created.toISOString(),
    secret: token,
    includePersonalData: row.personal_data,
    failingSince: row.failing_since?.toISOString() ?? null,
    disabledReason: row.disabled_reason,
  }
}

/** Returns the same with the secret that signs. */
export const withSecret = (keys: Keys, row: WebhookRow, secrets: WebhookSecrets): Static<typeof WebhookWithSecret> => ({
  ...webhookRecord(keys, row, secrets),
  signingSecret: secrets.signingSecret,
})
