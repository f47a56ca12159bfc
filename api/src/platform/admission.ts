import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.js'
import { clientNetwork } from './client-address.js'
import { FairQueue } from './fair-queue.js'

/** Up to here a body is as good as none; a larger one takes a place more for each further piece of this size. */
const BODY_PER_PLACE = 32_768
/** A body whose length is not told counts as one of this size. */
const UNTOLD_BYTES = 4 * BODY_PER_PLACE
/** How slowly a body may come, once there was time to begin. */
const BODY_BYTES_PER_SECOND = 8192
const BODY_BEGINS_MS = 5000

/** Where a request stands while it is in work. */
interface Standing {
  leave: () => void
  comeBack: () => Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    standing: Standing | undefined
  }
}

/**
 * Lets requests into work in turns: first by address, before anything is read for them, then by address and team. Many at once by
 * one address or key hold up each other and nobody else.
 */
export class Admission {
  private readonly doors: FairQueue
  private readonly work: FairQueue

  constructor({ limits }: Pick<Config, 'limits'>) {
    const { inWork: running, inWorkPerCaller: runningPerKey, waiting, waitingPerAddress: waitingPerCaller } = limits
    this.doors = new FairQueue({ running, runningPerKey, waiting, waitingPerCaller })
    this.work = new FairQueue({ running, runningPerKey, waiting, waitingPerCaller })
  }

  /** Every request passes here first, and is done when its answer is made: sending it is the connection's business. */
  guard(app: FastifyInstance): void {
    app.decorateRequest('standing', undefined)
    app.addHook('onRequest', (request, reply) => this.stand(this.doors, [clientNetwork(request.ip)], request, reply))
    app.addHook('preParsing', async (request, reply, payload) => {
      requireSteadyBody(request, reply)
      return payload
    })
    app.addHook('onSend', async (request, _reply, payload) => {
      request.standing?.leave()
      return payload
    })
  }

  /** From the door into work, when it is known whose request it is. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.standing?.leave()
    const team = request.principal?.team
    const address = clientNetwork(request.ip)
    await this.stand(this.work, team === undefined ? [address] : [address, `team ${team}`], request, reply)
  }

  private async stand(
    queue: FairQueue,
    keys: [string, ...string[]],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    let leave = (): void => {}
    let stop = (): void => {}
    let isOver = false
    reply.raw.once('close', () => {
      isOver = true
      stop()
      leave()
    })
    const enter = async (isReturning: boolean): Promise<void> => {
      const onGone = (way: () => void): void => {
        stop = way
      }
      leave = await queue.enter(keys, { weight: placesOf(request), onGone, isReturning })
      if (isOver) leave()
    }
    request.standing = { leave: () => leave(), comeBack: () => enter(true) }
    await enter(false)
  }
}

/** Gives the place of a request to others for as long as it waits for something that is not work of this process. */
export async function resting<T>(standing: Standing | undefined, wait: () => Promise<T>): Promise<T> {
  standing?.leave()
  try {
    return await wait()
  } finally {
    await standing?.comeBack()
  }
}

function placesOf({ headers }: FastifyRequest): number {
  const told = Number(headers['content-length'] ?? 0)
  const bytes = headers['transfer-encoding'] === undefined ? told : UNTOLD_BYTES
  return 1 + Math.floor(bytes / BODY_PER_PLACE)
}

/** Cuts off whoever sends a body so slowly that it would hold its place for long. */
function requireSteadyBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { socket } = raw
  if (raw.complete || !(socket instanceof Socket)) return
  const [begun, before] = [performance.now(), socket.bytesRead]
  const timer = setInterval(() => {
    const ms = performance.now() - begun
    const isSteady = socket.bytesRead - before >= ((ms - BODY_BEGINS_MS) / 1000) * BODY_BYTES_PER_SECOND
    if (isSteady && !raw.complete) return
    clearInterval(timer)
    if (raw.complete || socket.destroyed) return
    socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n', () => socket.destroy())
  }, 1000)
  reply.raw.once('close', () => clearInterval(timer))
}
