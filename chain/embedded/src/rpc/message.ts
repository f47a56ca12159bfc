import { setImmediate } from 'node:timers/promises'
import type { Caller } from './callers.js'
import {
  answerTooLarge,
  invalidParams,
  invalidRequest,
  parseError,
  publicError,
  type ReportError,
  type RpcErrorJson,
  tooManyValues,
} from './errors.js'
import type { RpcSession } from './session.js'

/** The length of an extrinsic of the largest size that a block takes, in hexadecimal, and its envelope. */
export const MAX_MESSAGE_BYTES = 12 * 1024 * 1024

const MOST_IN_A_BATCH = 1_000
/**
 * The most requests of a batch: a message of the largest size has no use for more, and each takes many times its text
 * in memory and time.
 */
const MOST_VALUES = 250_000
const MOST_OF_AN_ANSWER = 16 * 1024 * 1024

type Id = string | number | null

type Response =
  | { readonly jsonrpc: '2.0'; readonly id: Id; readonly result: unknown }
  | { readonly jsonrpc: '2.0'; readonly id: Id; readonly error: RpcErrorJson }

/** Tells whether a message is a batch, if it is JSON at all. */
export function isBatch(text: string): boolean {
  return /^\s*\[/.test(text)
}

/** Counts values by the characters before them, which our own texts hardly have. */
function hasTooManyValues(text: string): boolean {
  if (text.length <= MOST_VALUES) return false
  const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b]
  let values = 0
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code === comma || code === bracket || code === brace) values++
  }
  return values > MOST_VALUES
}

/** Answers one JSON-RPC 2.0 message, single or batch; undefined when there is nothing to answer. */
export async function answer(
  text: string,
  session: RpcSession,
  caller: Caller,
  report: ReportError,
): Promise<string | undefined> {
  if (hasTooManyValues(text)) return JSON.stringify(failure(null, publicError(tooManyValues(MOST_VALUES))))
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return JSON.stringify(failure(null, publicError(parseError())))
  }
  if (!Array.isArray(message)) return toText(await answerOne(message, session, report))
  if (message.length === 0 || message.length > MOST_IN_A_BATCH) {
    return JSON.stringify(failure(null, publicError(invalidRequest())))
  }
  return answerBatch(message, session, caller, report)
}

/**
 * Answers the requests one after the other: a batch has no more of the ledger at once than a single call. Ends early
 * when the caller leaves.
 */
async function answerBatch(
  messages: readonly unknown[],
  session: RpcSession,
  caller: Caller,
  report: ReportError,
): Promise<string | undefined> {
  const answered: string[] = []
  let length = 0
  try {
    for (const single of messages) {
      await setImmediate() // entries in memory are answered at once: others are heard in between
      if (caller.hasLeft) return undefined
      const text = toText(await answerOne(single, session, report))
      if (text === undefined) continue
      length += text.length
      caller.hold(text.length)
      if (length > MOST_OF_AN_ANSWER) return JSON.stringify(failure(null, publicError(answerTooLarge())))
      answered.push(text)
    }
    return answered.length > 0 ? `[${answered.join(',')}]` : undefined
  } finally {
    caller.release(length)
  }
}

async function answerOne(message: unknown, session: RpcSession, report: ReportError): Promise<Response | undefined> {
  const request = parseRequest(message)
  if (!request) return failure(null, publicError(invalidRequest()))
  const { id, method, params } = request
  try {
    if (!Array.isArray(params)) throw invalidParams('they are told by their position, in an array')
    const result = await session.call(method, params)
    return id === undefined ? undefined : { jsonrpc: '2.0', id, result: result ?? null }
  } catch (cause) {
    const error = publicError(cause)
    if (!error) report(cause, method)
    return id === undefined ? undefined : failure(id, error)
  }
}

/** Section 4: without an id it is a notification, which nobody answers; an id of null is one. */
interface Request {
  readonly id: Id | undefined
  readonly method: string
  readonly params: object
}

function parseRequest(message: unknown): Request | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message)) return undefined
  if (!('jsonrpc' in message) || message.jsonrpc !== '2.0') return undefined
  const { method } = message
  const params = 'params' in message ? (message.params ?? []) : []
  const id = 'id' in message ? message.id : undefined
  if (typeof method !== 'string' || typeof params !== 'object') return undefined
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') return undefined
  return { id, method, params }
}

function failure(id: Id, error: RpcErrorJson | undefined): Response {
  return { jsonrpc: '2.0', id, error: error ?? { code: -32603, message: 'Internal error' } }
}

function toText(response: Response | undefined): string | undefined {
  return response && JSON.stringify(response)
}
