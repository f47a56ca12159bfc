import { ExtrinsicRefused } from '../blocks/submission.js'

/** An error that a caller may see. Everything else is an internal error, told without detail. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: string | undefined

  constructor(code: number, message: string, data?: string) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface RpcErrorJson {
  readonly code: number
  readonly message: string
  readonly data?: string
}

export const parseError = () => new RpcError(-32700, 'Parse error')
export const invalidRequest = () => new RpcError(-32600, 'Invalid request')
export const tooManyValues = (most: number) =>
  new RpcError(-32600, `Invalid request: a message has at most ${most} values`)
export const invalidParams = (why: string) => new RpcError(-32602, `Invalid params: ${why}`)
export const unknownBlock = () => new RpcError(4003, 'Client error: UnknownBlock')
export const noSubscriptions = () => new RpcError(-32601, 'Subscriptions need a WebSocket connection')

export const connectionEnded = () => new RpcError(-32000, 'The connection has ended')

export const tooManySubscriptions = (most: number) =>
  new RpcError(-32604, `A connection has at most ${most} subscriptions`)
export const answerTooLarge = () => new RpcError(-32603, 'The answers of the batch are too large: send fewer calls')

/** Makes the caller's error; undefined for an error that only the log may name. */
export function publicError(cause: unknown): RpcErrorJson | undefined {
  if (!(cause instanceof RpcError || cause instanceof ExtrinsicRefused)) return undefined
  const { code, message, data } = cause
  return data === undefined ? { code, message } : { code, message, data }
}

/** Receives the errors that are faults of ours. */
export type ReportError = (cause: unknown, method: string) => void
