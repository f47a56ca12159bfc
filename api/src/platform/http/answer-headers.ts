import type { FastifyReply } from 'fastify'
import type { AnyContext } from './context.js'

/** The headers that an answer keeps when it is stored for retries. */
const KEPT_HEADERS = /^(accredit-|content-type$|deprecation$|etag$)/

export interface AnswerHeaders {
  /** The headers that were set, and those of them that are stored with the answer for retries. */
  set: Record<string, string>
  values: Record<string, string>
  /** The state for as long as which the answer may be given again. */
  state: string | undefined
  reply: AnyContext['reply']
}

/** Sets headers on a reply, and remembers which. */
export function answerHeaders(reply: FastifyReply): AnswerHeaders {
  const set: Record<string, string> = {}
  const values: Record<string, string> = {}
  const header = (name: string, value: string): void => {
    reply.header(name, value)
    const lower = name.toLowerCase()
    set[lower] = value
    if (KEPT_HEADERS.test(lower)) values[lower] = value
  }
  const headers: AnswerHeaders = {
    set,
    values,
    state: undefined,
    reply: {
      header,
      type: (mediaType) => header('content-type', mediaType),
      keepWhile(state) {
        headers.state = state
      },
    },
  }
  return headers
}
