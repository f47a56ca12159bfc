import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config.js'
import { FairQueue } from '../../process/fair-queue.js'
import { clientNetwork } from '../../security/client-address.js'
import { endWith, TOO_SLOW } from '../input/unreadable-request.js'
import { sentRequestId } from '../request-id.js'
import { onceOver, requireCaller } from './request-end.js'
import { AddressPlaces } from './request-limits.js'

/** The size up to which a body counts as none; a larger one takes a place more for each further piece of this size. */
const BODY_PER_PLACE = 32_768
/** The size that a body of unknown length counts as. */
const UNTOLD_BYTES = 4 * BODY_PER_PLACE
/** The rows of a page that count as none; each further block of as many rows takes a place more. */
const ROWS_PER_PLACE = 128
/** The size up to which an unread answer counts as none; a larger one takes room, in units of this size. */
const ANSWER_UNIT = 131_072
/** The units of this size that the unread answers of one caller may take, and those that all may take. */
const ANSWERS = { running: 256, runningPerKey: 64, waiting: Number.POSITIVE_INFINITY }
/** The least speed of a body, once it had time to begin. */
const BODY_BYTES_PER_SECOND = 8192
const BODY_BEGINS_MS = 5000

declare module 'fastify' {
  interface FastifyRequest {
    standing: Standing | undefined
  }
}

/**
 * Lets requests into work in turns: first by address, before anything is read for them, then by address and team. Many
 * requests of one address or key delay each other and nobody else.
 */
export class Admission {
  private readonly doors: FairQueue
  /** The large bodies that are on their way. */
  private readonly bodies: FairQueue
  private readonly work: FairQueue
  /**
   * The large answers until they are read: the request for another one waits until then, so that no more are made
   * meanwhile.
   */
  private readonly answers = new FairQueue(ANSWERS)
  /** The requests of each address that are worked on, whether or not somebody waits for them. */
  private readonly alive = new AddressPlaces()
  private readonly mostAlive: number
  private readonly stallMs: number

  constructor({ limits }: Pick<Config, 'limits'>) {
    const { inWork: running, inWorkPerCaller: runningPerKey, waiting, waitingPerAddress: waitingPerCaller } = limits
    const bounds = { running, runningPerKey, waiting, waitingPerCaller }
    this.doors = new FairQueue(bounds)
    this.bodies = new FairQueue(bounds)
    this.work = new FairQueue(bounds)
    this.stallMs = limits.streamStallMs
    this.mostAlive = Math.max(limits.connectionsPerAddress, waitingPerCaller + running)
  }

  /** Every request passes here first, and is done when its answer is made: the connection sends it. */
  guard(app: FastifyInstance): void {
    app.decorateRequest('standing', undefined)
    app.decorateRequest('handled', undefined)
    app.addHook('onRequest', async (request, reply) => {
      // A client that sends requests and goes away could have more of them running than connections allow.
      this.alive.enter('anything', this.mostAlive, request, reply)
      request.standing = new Standing(request, reply)
      await request.standing.enter(this.doors)
    })
    app.addHook('preParsing', async (request, reply, payload) => {
      requireSteadyBody(request, reply)
      return payload
    })
    app.addHook('onSend', async (request, reply, payload) => {
      const bytes = typeof payload === 'string' || payload instanceof Uint8Array ? payload.length : 0
      const isLarge = bytes >= ANSWER_UNIT
      // A client that stops reading is disconnected, and its answer dropped; of a stream only the beginning was sent.
      if (isLarge || payload instanceof Readable) reply.raw.setTimeout(this.stallMs, () => reply.raw.destroy())
      if (isLarge) await request.standing?.enter(this.answers, Math.ceil(bytes / ANSWER_UNIT))
      else request.standing?.leave()
      return payload
    })
  }

  /** Receives the body, once the caller is known. A small one takes no room, so that it may come slowly. */
  async receive(request: FastifyRequest): Promise<void> {
    request.standing?.leave()
    if (bodyBytes(request) > BODY_PER_PLACE) await request.standing?.enter(this.bodies)
  }

  /** Lets a request into work whose body has arrived; does nothing when called again. */
  async admit(request: FastifyRequest): Promise<void> {
    await request.standing?.enter(this.work)
  }
}

/** The standing of a request: it is in one queue at a time, where it waits or has a place. */
class Standing {
  private readonly address: string
  private queue: FairQueue | undefined
  private giveBack = (): void => {}
  private stopWaiting = (): void => {}
  private isOver = false

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {
    this.address = clientNetwork(request.ip)
    reply.raw.once('close', () => this.stopWaiting())
    onceOver(request, reply, () => {
      this.isOver = true
      this.leave()
    })
  }

  /** @throws 429 or 503 where too many wait, and where the caller went away meanwhile */
  async enter(queue: FairQueue, weight = placesOf(this.request)): Promise<void> {
    if (this.queue === queue) return
    const onGone = (stop: () => void): void => {
      this.stopWaiting = stop
    }
    const giveBack = await queue.enter(this.keys(), { weight, onGone })
    // The request keeps its old place until here: a body that waits for its turn takes room like one that arrives.
    this.leave()
    this.queue = queue
    this.giveBack = giveBack
    if (this.reply.raw.destroyed) this.leave()
    requireCaller(this.reply)
  }

  leave(): void {
    this.giveBack()
  }

  /** Enters its queue again: begun work is finished, whether or not somebody waits for it. */
  async comeBack(): Promise<void> {
    if (this.queue === undefined) return
    this.giveBack = await this.queue.enter(this.keys(), { weight: placesOf(this.request), isReturning: true })
    if (this.isOver) this.leave()
  }

  /** Returns the keys of its turn: the caller's address, and the team, once it is known. */
  private keys(): [caller: string, ...others: string[]] {
    const { principal } = this.request
    // A request that no operation serves has no caller.
    if (principal === undefined || principal.kind === 'public') return [this.address]
    return [this.address, `team ${principal.team}`]
  }
}

/** Gives the place of a request to others while it waits for something that is not work of this process. */
export async function resting<T>(standing: Standing | undefined, wait: () => Promise<T>): Promise<T> {
  standing?.leave()
  try {
    return await wait()
  } finally {
    await standing?.comeBack()
  }
}

const bodyBytes = ({ headers }: FastifyRequest): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : UNTOLD_BYTES

const placesOf = (request: FastifyRequest): number =>
  1 + Math.floor(bodyBytes(request) / BODY_PER_PLACE) + Math.floor(rowsOf(request) / ROWS_PER_PLACE)

/** Returns how many rows the request asks for; 0 if it does not tell. */
function rowsOf({ query }: FastifyRequest): number {
  const { limit } = typeof query === 'object' && query !== null && 'limit' in query ? query : { limit: 0 }
  return Math.max(0, Math.min(Number(limit) || 0, 10_000))
}

/** Disconnects a caller that sends a body so slowly that it would hold its place for long. */
function requireSteadyBody(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request
  const { socket } = raw
  if (raw.complete || !(socket instanceof Socket)) return
  const [begun, before] = [performance.now(), socket.bytesRead]
  const timer = setInterval(() => {
    const ms = performance.now() - begun
    const isSteady = socket.bytesRead - before >= ((ms - BODY_BEGINS_MS) / 1000) * BODY_BYTES_PER_SECOND
    if (isSteady && !raw.complete) return
    clearInterval(timer)
    if (raw.complete) return
    endWith(socket, TOO_SLOW, sentRequestId(request) ?? request.id)
  }, 1000)
  reply.raw.once('close', () => clearInterval(timer))
}
