import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { Backlog } from './backlog.js'
import type { Caller } from './callers.js'
import type { ReportError } from './errors.js'
import { answer } from './message.js'
import { methods } from './methods.js'
import { type LedgerContext, RpcSession } from './session.js'

/** The number of unread characters at which nothing more is begun. */
const MOST_UNREAD = 1024 * 1024
/**
 * The interval of pings: an unread connection notices that its other end is gone only when something is written to it.
 */
const PROBE_MS = 1000

/** Tells the counter of connections what this one does. */
interface Standing {
  work(): void
  rest(): void
}

export interface SocketOptions {
  readonly ledger: LedgerContext
  readonly socket: WebSocket
  /** The connection that the WebSocket's bytes come over. */
  readonly tcp: Socket
  readonly caller: Caller
  readonly standing: Standing
  readonly report: ReportError
}

/**
 * A connection that is read only while its work and its answers have room: a client that does not read delays only
 * itself.
 */
export class SocketConnection {
  readonly #socket: WebSocket
  readonly #report: ReportError
  readonly #caller: Caller
  readonly #standing: Standing
  readonly #session: RpcSession
  readonly #backlog = new Backlog()
  #unread = 0
  /** Bytes that have come since the last whole message. */
  #arriving = 0

  private constructor({ ledger, socket, caller, standing, report }: SocketOptions) {
    this.#socket = socket
    this.#report = report
    this.#caller = caller
    this.#standing = standing
    const notify = (type: string, subscription: string, result: unknown) =>
      this.#send(JSON.stringify({ jsonrpc: '2.0', method: type, params: { subscription, result } }))
    this.#session = new RpcSession(ledger, methods, report, notify, this.#caller)
  }

  /** Answers the messages of a WebSocket until it closes. */
  static serve(options: SocketOptions): void {
    const { socket, tcp } = options
    const connection = new SocketConnection(options)
    const probe = setInterval(() => connection.#probe(), PROBE_MS)
    tcp.prependListener('data', (chunk: Buffer) => connection.#arrives(chunk.length))
    socket.on('message', (data) => connection.#take(data.toString()))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearInterval(probe)
      connection.#caller.leave()
      connection.#session.close()
    })
  }

  #arrives(bytes: number): void {
    this.#arriving += bytes
    this.#caller.hold(bytes)
  }

  #take(message: string): void {
    this.#caller.release(this.#arriving)
    this.#arriving = 0
    this.#standing.work()
    this.#backlog.add(message)
    this.#caller.hold(message.length)
    this.#goOn()
  }

  /** Begins as much as there is room for, and reads on when there is room for more. */
  #goOn(): void {
    if (!this.#isOpen()) return
    while (this.#unread < MOST_UNREAD) {
      const message = this.#backlog.begin()
      if (message === undefined) break
      void this.#work(message)
    }
    if (this.#backlog.isFull || this.#unread >= MOST_UNREAD) this.#socket.pause()
    else this.#socket.resume()
  }

  async #work(message: string): Promise<void> {
    try {
      const text = await answer(message, this.#session, this.#caller, this.#report)
      if (text !== undefined) this.#send(text)
    } catch (cause) {
      this.#report(cause, 'message')
    } finally {
      this.#backlog.end(message)
      if (this.#backlog.isEmpty) this.#standing.rest()
      this.#caller.release(message.length)
      this.#goOn()
    }
  }

  #send(text: string): void {
    if (!this.#isOpen()) return
    const { length } = text // the text itself is kept by nobody else
    this.#unread += length
    this.#socket.send(text, () => {
      this.#unread -= length
      this.#caller.release(length)
      this.#goOn()
    })
    this.#caller.hold(length)
  }

  #probe(): void {
    if (this.#socket.isPaused && this.#socket.bufferedAmount === 0) this.#socket.ping()
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }
}
