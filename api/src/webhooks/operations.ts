import type { Served } from '../platform/http/operation.js'
import { createWebhook } from './create-webhook.js'
import { deleteWebhook } from './delete-webhook.js'
import { getWebhook } from './get-webhook.js'
import { listWebhookDeliveries } from './list-deliveries.js'
import { listWebhooks } from './list-webhooks.js'
import { replayWebhookDeliveries } from './replay-deliveries.js'
import { replayWebhookDelivery } from './replay-delivery.js'
import { rotateWebhookSecret } from './rotate-webhook-secret.js'
import { sentEvents } from './sent-events.js'
import { testWebhook } from './test-webhook.js'
import { updateWebhook } from './update-webhook.js'

export const webhooks: Served = {
  sent: sentEvents,
  operations: [
    listWebhooks,
    createWebhook,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    listWebhookDeliveries,
    replayWebhookDelivery,
    replayWebhookDeliveries,
  ],
}
