import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Operation } from '../operation.js'

/** An answer as it was sent, with the headers of its operation. */
export interface KeptAnswer {
  content: string
  headers: Readonly<Record<string, string>>
  /** The state that it stands on, as `Operation.presentState` names it; undefined: it is immutable. */
  state?: string | undefined
}

/** The characters that are kept in all, and of one answer: larger ones are rare, and are made in threads. */
const MOST_CHARACTERS = 32_000_000
const MOST_OF_ONE = 16_000

type Asked = Pick<FastifyRequest, 'method' | 'originalUrl'>

/**
 * Keeps answers by their address: those that their operation calls immutable, as every shared cache may (RFC 9111),
 * since a block of the past that is final never changes; and those that are the same for as long as a state is. Only what
 * everybody gets, in one form, is kept.
 */
export class KeptAnswers {
  readonly #answers = new LRUCache<string, KeptAnswer>({
    maxSize: MOST_CHARACTERS,
    maxEntrySize: MOST_OF_ONE,
    sizeCalculation: ({ content, headers }, address) =>
      address.length + content.length + JSON.stringify(headers).length,
  })

  find(op: Operation, { method, originalUrl }: Asked): KeptAnswer | undefined {
    return isForAll(op) && method === 'GET' ? this.#answers.get(originalUrl) : undefined
  }

  /** Keeps an answer to a request of which nothing was ignored, if it is immutable or names the state it stands on. */
  keep(op: Operation, { method, originalUrl, ignored }: Asked & Pick<FastifyRequest, 'ignored'>, answer: KeptAnswer) {
    if (!isForAll(op) || method !== 'GET' || ignored.length > 0 || !isKeepable(answer)) return
    this.#answers.set(originalUrl, answer)
  }
}

/** Tells whether an operation answers everybody alike, whatever the headers of the request say. */
const isForAll = ({ auth, method, mediaTypes }: Operation): boolean =>
  auth === 'public' && method === 'GET' && mediaTypes === undefined

const isKeepable = ({ headers, state }: KeptAnswer): boolean =>
  headers.vary === undefined && (state !== undefined || isImmutable(headers))

const isImmutable = (headers: KeptAnswer['headers']): boolean =>
  /\bpublic\b.*\bimmutable\b/.test(headers['cache-control'] ?? '')
