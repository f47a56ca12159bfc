import { placeOf } from '@accredit/process/ledger-urls'
import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { Refusal } from './refusal.js'

const TIMEOUT_MS = 30_000
/** More than a runtime and its proof take. */
const MOST_BYTES = 64_000_000

/** Asks a node a question of JSON-RPC; throws a sentence where it does not answer in the shape that is given. */
export type AskNode = <Shape extends TSchema>(
  shape: Shape,
  method: string,
  ...params: unknown[]
) => Promise<Static<Shape>>

/** Returns what asks the node at an address over HTTP, at which nodes serve WebSocket as well. */
export function nodeAt(url: string): AskNode {
  const address = url.replace(/^ws(s?):/, 'http$1:')
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new Refusal(`--url is the address of a node (ws://… or http://…), not '${url}'.`)
  return async (shape, method, ...params) => {
    const answer = await answerOf(address, { jsonrpc: '2.0', id: 1, method, params })
    if (!Check(shape, answer)) throw new Refusal(`The node does not answer ${method} as a Substrate ledger does.`)
    return answer
  }
}

async function answerOf(address: string, body: { method: string } & Record<string, unknown>): Promise<unknown> {
  const answer = await posted(address, JSON.stringify(body)).catch((cause: unknown) => {
    throw new Refusal(`The node at ${placeOf(address)} cannot be asked: ${messageOfCause(cause)}`)
  })
  if (typeof answer !== 'object' || answer === null) return undefined
  if ('error' in answer)
    throw new Refusal(`The node refuses ${body.method}: ${JSON.stringify(answer.error).slice(0, 300)}`)
  return 'result' in answer ? answer.result : undefined
}

async function posted(address: string, body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(address, { method: 'POST', headers, body, signal })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MOST_BYTES) throw new Error(`its answer has more than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}

function messageOfCause(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}
