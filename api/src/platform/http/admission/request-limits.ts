import { setTimeout } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config.js'
import { ApiError } from '../../errors.js'
import type { Clock } from '../../process/clock.js'
import { clientNetwork } from '../../security/client-address.js'
import type { Operation } from '../operation.js'
import { streamType } from '../streamed-list.js'
import { onceOver } from './request-end.js'

const REFUSED_AFTER_MS = 250

/**
 * Requests per key and window (production only), and requests of one address at once on expensive routes.
 * Counted per process: with n replicas a key may send up to n times as much.
 */
export class RequestLimits {
  private windowEnds = 0
  private readonly counts = new Map<string, number>()
  private readonly places = new AddressPlaces()

  constructor(
    private readonly config: Pick<Config, 'environment' | 'limits' | 'plans'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts a request of a key or a session.
   *
   * @param plan the plan of its team, which may have a limit of its own
   * @returns the headers that tell what is left; none where nothing is counted
   * @throws 429 with Retry-After past the limit
   */
  countCaller(name: string, plan?: string | null): Record<string, string> {
    const { plans, limits, environment } = this.config
    const { windowSeconds } = limits
    if (environment !== 'production') return {}
    const requests = plans.of(plan).requests ?? limits.requests
    if (requests === 0) return {}
    const now = this.clock.now().getTime()
    if (now >= this.windowEnds || now < this.windowEnds - windowSeconds * 1000) {
      this.windowEnds = now + windowSeconds * 1000
      this.counts.clear()
    }
    const count = (this.counts.get(name) ?? 0) + 1
    this.counts.set(name, count)
    const seconds = String(Math.max(1, Math.ceil((this.windowEnds - now) / 1000)))
    const headers = {
      'RateLimit-Limit': String(requests),
      'RateLimit-Remaining': String(Math.max(0, requests - count)),
      'RateLimit-Reset': seconds,
      'RateLimit-Policy': `${requests};w=${windowSeconds}`,
    }
    if (count <= requests) return headers
    throw new ApiError('rate_limited', `More than ${requests} requests in ${windowSeconds} seconds`, {
      headers: { ...headers, 'Retry-After': seconds },
    })
  }

  /** Takes places, or refuses after a moment: clients that ask again at once would keep this process busy refusing. */
  async enter(op: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      this.takePlaces(op, request, reply)
    } catch (refusal) {
      await setTimeout(REFUSED_AFTER_MS, undefined, { ref: false })
      throw refusal
    }
  }

  private takePlaces(op: Operation, request: FastifyRequest, reply: FastifyReply): void {
    const most = op.limits?.concurrencyPerAddress
    if (most !== undefined) this.places.enter(op.operationId, most, request, reply)
    const streams = op.limits?.streamsPerAddress
    if (streams !== undefined && streamType(request.headers.accept) !== undefined)
      this.places.enter(`${op.operationId} as a stream`, streams, request, reply)
  }
}

/** The places for requests of one address that run at once, by operation. */
export class AddressPlaces {
  private readonly running = new Map<string, number>()

  /** Takes a place until the request is over; 429 where none is free. */
  enter(what: string, most: number, request: FastifyRequest, reply: FastifyReply): void {
    const place = `${what} ${clientNetwork(request.ip)}`
    const count = this.running.get(place) ?? 0
    if (count >= most)
      throw new ApiError('rate_limited', 'Too many such requests at once from this address', {
        headers: { 'Retry-After': '1' },
      })
    this.running.set(place, count + 1)
    onceOver(request, reply, () => {
      const left = (this.running.get(place) ?? 1) - 1
      if (left > 0) this.running.set(place, left)
      else this.running.delete(place)
    })
  }
}
