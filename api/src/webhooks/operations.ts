import type { Served } from '../platform/http/operation.js'
import { createWebhook } from './create-webhook.js'
import { deleteWebhook } from './delete-webhook.js'
import { getWebhook } from './get-webhook.js'
import { listWebhooks } from './list-webhooks.js'
import { rotateWebhookSecret } from './rotate-webhook-secret.js'
import { updateWebhook } from './update-webhook.js'

export const webhooks: Served = {
  operations: [listWebhooks, createWebhook, getWebhook, updateWebhook, deleteWebhook, rotateWebhookSecret],
}
