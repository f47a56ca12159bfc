import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { clientNetwork } from './address.js'
import { type Caller, Callers, type MemoryBounds, type Origin } from './callers.js'
import { type AllowedOrigins, isOwnProcess, type Refusal, refusalOf } from './door.js'
import { connectionEnded, publicError, type ReportError } from './errors.js'
import { answer, MAX_MESSAGE_BYTES } from './message.js'
import { LEDGER_NAME, methods } from './methods.js'
import { type Place, type PlaceBounds, Places, USUAL_PLACES } from './places.js'
import { type LedgerContext, RpcSession } from './session.js'
import { SocketConnection } from './socket.js'

export interface RpcServer {
  readonly url: string
  close(): Promise<void>
}

export interface Door {
  readonly host: string
  readonly port: number
  /** The web pages that may speak to it. */
  readonly origins?: AllowedOrigins | undefined
  /** The token. A process that names it always gets in. */
  readonly ownToken?: string | undefined
  /** True where only a process that names the token submits extrinsics. */
  readonly isReadOnly?: boolean | undefined
  readonly places?: PlaceBounds | undefined
  readonly memory?: MemoryBounds | undefined
}

/** JSON-RPC over WebSocket and over HTTP POST on one port; GET / tells that the ledger lives. */
export async function startRpcServer(ledger: LedgerContext, door: Door, report: ReportError): Promise<RpcServer> {
  const callers = new Callers(door.memory)
  const connections = new Connections(door)
  const origins = door.origins ?? []
  const busy = new WeakSet<Duplex>()
  const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5000 }
  const http = createServer(timeouts, (request, response) => {
    const { socket } = request
    // The server would read calls ahead of an answer all at once, and no HTTP client sends any.
    if (busy.has(socket)) return socket.destroy()
    const refusal = refusalOf(request, origins) ?? connections.admit(request)
    if (refusal) return refuse(response, refusal)
    busy.add(socket)
    connections.work(socket)
    const caller = callers.enter(() => socket.destroy(), connections.originOf(request))
    response.once('close', () => {
      busy.delete(socket)
      connections.rest(socket)
      caller.leave()
    })
    serveHttp(ledger, caller, request, response, report).catch((cause: unknown) => {
      // The log leaves the path out, which may be the product's own token.
      if (!publicError(cause)) report(cause, request.method ?? 'HTTP')
      response.destroy()
    })
  })
  http.on('connection', (socket) => connections.begin(socket))
  const sockets = new WebSocketServer({
    server: http,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    verifyClient: ({ req }, tell) => {
      const refusal = refusalOf(req, origins) ?? connections.admit(req)
      tell(!refusal, refusal?.status, refusal?.why)
    },
  })
  sockets.on('connection', (socket, request) => {
    const tcp = request.socket
    const caller = callers.enter(() => socket.terminate(), connections.originOf(request))
    const standing = { work: () => connections.work(tcp), rest: () => connections.rest(tcp) }
    SocketConnection.serve({ ledger, socket, tcp, caller, standing, report })
  })
  sockets.on('error', () => {}) // the HTTP server gets the same error and decides
  await listen(http, door)
  return {
    url: urlOf(http, door.host),
    close: async () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

/** The connections of a server and their places. */
class Connections {
  readonly #ownToken: string | undefined
  readonly #isReadOnly: boolean
  readonly #places: Places
  readonly #placeOf = new WeakMap<Duplex, Place>()
  readonly #own = new WeakSet<Duplex>()

  constructor({ ownToken, isReadOnly = false, places = USUAL_PLACES }: Door) {
    this.#ownToken = ownToken
    this.#isReadOnly = isReadOnly
    this.#places = new Places(places)
  }

  begin(socket: Duplex): void {
    this.#places.arrive(socket)
    socket.once('close', () => {
      this.#places.depart(socket)
      const place = this.#placeOf.get(socket)
      if (place) this.#places.leave(place)
    })
  }

  /** Returns the reason for which a caller over a connection has no place, or undefined. */
  admit(request: IncomingMessage): Refusal | undefined {
    const { socket } = request
    if (isOwnProcess(request, this.#ownToken)) this.#own.add(socket)
    else if (!this.#own.has(socket) && !this.#placeOf.has(socket)) {
      const place = this.#places.enter(clientNetwork(socket.remoteAddress), () => socket.destroy())
      if (!place) return { status: 503, why: 'this address has too many connections' }
      this.#placeOf.set(socket, place)
    }
    this.#places.depart(socket)
    return undefined
  }

  originOf({ socket }: IncomingMessage): Origin {
    const isOwn = this.#own.has(socket)
    return { network: clientNetwork(socket.remoteAddress), isOwn, isReader: this.#isReadOnly && !isOwn }
  }

  work(socket: Duplex): void {
    const place = this.#placeOf.get(socket)
    if (place) place.isAtWork = true
  }

  rest(socket: Duplex): void {
    const place = this.#placeOf.get(socket)
    if (place) this.#places.rest(place)
  }
}

/** The connection ends with it: it has no place. */
function refuse(response: ServerResponse, { status, why }: Refusal): void {
  response.setHeader('connection', 'close')
  send(response, status, JSON.stringify({ error: why }))
}

async function serveHttp(
  ledger: LedgerContext,
  caller: Caller,
  request: IncomingMessage,
  response: ServerResponse,
  report: ReportError,
): Promise<void> {
  if (request.method === 'GET') {
    const { number, hash } = ledger.chain.head
    return send(response, 200, JSON.stringify({ name: LEDGER_NAME, head: { height: number, hash } }))
  }
  if (request.method !== 'POST') return send(response, 405, JSON.stringify({ error: 'only GET and POST' }))
  const body = await readBody(request, caller)
  if (body === undefined) return send(response, 413, JSON.stringify({ error: 'the message is too large' }))
  const session = new RpcSession(ledger, methods, report, undefined, caller)
  const text = await answer(body, session, caller, report)
  if (text === undefined) return send(response, 204, '')
  caller.hold(text.length)
  return send(response, 200, text)
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

/** @throws connectionEnded where the caller goes away before it has sent all, which is its own matter */
async function readBody(request: IncomingMessage, caller: Caller): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request) {
      length += chunk.length
      caller.hold(chunk.length)
      if (length > MAX_MESSAGE_BYTES) return undefined
      chunks.push(chunk)
    }
  } catch (cause) {
    throw request.complete ? cause : connectionEnded()
  }
  return Buffer.concat(chunks).toString('utf8')
}

function listen(http: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE'
      reject(taken ? new Error(`port ${port} of ${host} is in use by another program`, { cause }) : cause)
    })
    http.listen(port, host, () => resolve())
  })
}

function urlOf(http: Server, host: string): string {
  const address: AddressInfo | string | null = http.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `ws://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}
