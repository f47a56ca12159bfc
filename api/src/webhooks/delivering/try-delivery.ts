import { inSpan } from '@accredit/process/tracing'
import type { Environment } from '../../platform/http/context.js'
import { deliverySeconds } from '../../platform/process/work-metrics.js'
import { FetchRefused } from '../../platform/security/guarded-fetch.js'
import { isWebhookEvent, WEBHOOK_EVENTS, type WebhookEvent } from '../webhook-events.js'
import { openSecrets, signedHeaders } from '../webhook-secrets.js'
import type { Claimed } from './claim.js'
import type { Result } from './delivery-results.js'

type Services = Pick<Environment, 'guardedPost' | 'events' | 'deriveKey' | 'clock' | 'config' | 'log'>

const GONE = 410

/** Sends one event to one receiver. It never throws: a failure is a result too. */
export async function tryDelivery(services: Services, claimed: Claimed, signal: AbortSignal): Promise<Result> {
  const { guardedPost, clock, config, log } = services
  const at = clock.now()
  const begun = performance.now()
  const result = (status: number | null, error: string | null): Result => {
    const ms = performance.now() - begun
    const isDelivered = status !== null && status >= 200 && status < 300
    const isGone = status === GONE
    deliverySeconds.observe({ result: isDelivered ? 'delivered' : isGone ? 'gone' : 'failed' }, ms / 1000)
    return { claimed, tried: { at: at.toISOString(), status, error, ms: Math.round(ms) }, isDelivered, isGone }
  }
  try {
    const { url } = claimed
    const { headers, body } = messageOf(services, claimed, at)
    const post = { url, headers, body, timeoutMs: config.webhooks.timeoutMs, signal }
    const attributes = { 'accredit.event': claimed.event, 'accredit.message': claimed.message }
    const { status } = await inSpan('tell a web hook', { parent: claimed.trace, kind: 'CLIENT', attributes }, () =>
      guardedPost.send(post),
    )
    return result(status, null)
  } catch (error) {
    if (error instanceof FetchRefused) return result(null, error.message)
    log.error({ err: error, delivery: claimed.id }, 'a web hook could not be told')
    return result(null, 'it could not be sent')
  }
}

/** Returns the request that a receiver gets. */
function messageOf({ events, deriveKey }: Services, claimed: Claimed, now: Date) {
  const { team_id, webhook_id: id, event, message, sealed } = claimed
  const secrets = openSecrets({ deriveKey }, { team_id, id, sealed: claimed.secrets })
  const data = dataFor(claimed, events.open({ team_id, event, sealed }))
  const body = `{"token":${JSON.stringify(secrets.token)},"event":${JSON.stringify(event)},"data":${data}}`
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Accredit-Webhooks/1',
      ...signedHeaders(secrets, message, body, now),
    },
  }
}

function dataFor({ event, personal_data }: Claimed, text: string): string {
  const known: WebhookEvent | undefined = isWebhookEvent(event) ? WEBHOOK_EVENTS[event] : undefined
  if (personal_data || known?.personal === undefined) return text
  const { personal } = known
  const members = Object.entries(JSON.parse(text)).filter(([name]) => !personal.includes(name))
  return JSON.stringify(Object.fromEntries(members))
}
