import ipaddr from 'ipaddr.js'
import { request } from 'undici'
import { checked, dispatcherTo, FetchRefused, type Guard, HostUnknown, isPublicAddress } from './guarded-fetch.js'

export interface Post {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  timeoutMs: number
  /** Ends it before its time. */
  signal?: AbortSignal
}

/** The answer of a receiver. Nothing of its body is kept, and a redirect is an answer like any other. */
export interface PostAnswer {
  status: number
}

/** Sends JSON to the receiver that a stranger named, at public addresses only. */
export interface GuardedPost {
  /** @throws FetchRefused with the reason for which nothing came back; it never tells what stands at an address */
  send(post: Post): Promise<PostAnswer>
  /**
   * Looks whether something may be sent to a URL. A host that no name server knows now may become known.
   *
   * @throws FetchRefused
   */
  check(url: string): Promise<void>
}

const CHECK_MS = 3000

/** The part of an answer's body that is waited for before the connection is cut: after a short one it ends in peace. */
const MOST_BODY_BYTES = 16_384
const MOST_BODY_MS = 1000

const isLoopback = (address: string): boolean => ipaddr.process(address).range() === 'loopback'

/** The guard of receivers: public ones over HTTPS, and this machine's over plain HTTP too where that is allowed. */
export const receiverGuard = ({ toLoopback }: { toLoopback: boolean }): Guard => ({
  protocols: toLoopback ? ['https:', 'http:'] : ['https:'],
  isAllowed: (address, protocol) =>
    (toLoopback && isLoopback(address)) || (protocol === 'https:' && isPublicAddress(address)),
})

export function guardedPoster(guard: Guard): GuardedPost {
  return {
    async check(url) {
      const signal = AbortSignal.timeout(CHECK_MS)
      await checked(url, guard, signal).catch((error: unknown) => {
        if (!(error instanceof HostUnknown || signal.aborted)) throw error
      })
    },
    async send({ url, headers, body, timeoutMs, signal: ended }) {
      const timeout = AbortSignal.timeout(timeoutMs)
      const signal = ended ? AbortSignal.any([timeout, ended]) : timeout
      const target = await checked(url, guard, signal)
      const dispatcher = dispatcherTo(target, timeoutMs)
      try {
        const { statusCode, body: answer } = await request(target.url, {
          dispatcher,
          signal,
          method: 'POST',
          headers,
          body,
        })
        // The status has decided: a body that is long, slow or broken changes nothing.
        const enough = AbortSignal.any([signal, AbortSignal.timeout(MOST_BODY_MS)])
        await answer.dump({ limit: MOST_BODY_BYTES, signal: enough }).catch(() => undefined)
        return { status: statusCode }
      } catch (error) {
        const reason = timeout.aborted ? `it did not answer within ${timeoutMs} ms` : 'it cannot be reached'
        throw new FetchRefused(reason, { cause: error })
      } finally {
        await dispatcher.destroy()
      }
    },
  }
}
