import { randomUUID } from 'node:crypto'
import { Refusal } from '../../start/refusal.js'
import { interruption, pause } from '../interruption.js'
import type { Product } from './product.js'

/** A request is repeated for so long: a bit more than the longest fault explains, which stalls the ledger for a while. */
export const PATIENCE_MS = 720_000
const ANSWER_WITHIN_MS = 90_000
const REPEAT_EVERY_MS = 500
/** Too many requests; a proxy or the service itself that cannot answer now. Any other refusal stays one. */
const AWAY: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** The product as one asks it. */
export type Served = Pick<Product, 'apiUrl' | 'apiKey' | 'isRemoved'>

/**
 * Sends a request until it is accepted, as a client does whose service is away for a while: always with the same
 * idempotency key. Throws where it is refused for good.
 */
export async function accepted<T>(product: Served, method: string, path: string, body?: unknown): Promise<T> {
  const { apiUrl, apiKey } = product
  const headers = {
    'content-type': 'application/json',
    'SVC-API-TOKEN': apiKey,
    ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
  }
  const deadline = Date.now() + PATIENCE_MS
  for (; Date.now() < deadline && !product.isRemoved; await pause(REPEAT_EVERY_MS)) {
    interruption.throwIfAborted()
    const signal = AbortSignal.any([AbortSignal.timeout(ANSWER_WITHIN_MS), interruption])
    const sent = { method, headers, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const answer = await answerTo(apiUrl + path, sent)
    if (answer === undefined) continue
    const { status, text } = answer
    if (status === 200) return JSON.parse(text)
    if (!AWAY.has(status) && !text.includes('"idempotency_in_progress"'))
      throw new Refusal(`${method} ${path} was refused: ${status} ${text}`)
  }
  throw new Refusal(`${method} ${path} was not accepted in time.`)
}

async function answerTo(url: string, request: RequestInit) {
  try {
    const answer = await fetch(url, request)
    return { status: answer.status, text: await answer.text() }
  } catch {
    return undefined
  }
}

interface Job {
  status: 'todo' | 'in_progress' | 'finalized' | 'error'
  result: { message?: string }
}

/** Waits until a job is final, however long the ledger takes; fails with the job's own reason. */
export async function finalJob(product: Served, id: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await pause(REPEAT_EVERY_MS)) {
    const job = await accepted<Job>(product, 'GET', `/jobs/${id}`)
    if (job.status === 'finalized') return
    if (job.status === 'error') throw new Refusal(`Job ${id} failed: ${job.result.message}`)
  }
  throw new Refusal(`Job ${id} was not final within ${PATIENCE_MS / 1000} s.`)
}
