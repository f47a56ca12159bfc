import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { type Caller, Callers } from './rpc-callers.js'
import { type AllowedOrigins, refusalOf } from './rpc-door.js'
import type { ReportError } from './rpc-errors.js'
import { answer, MAX_MESSAGE_BYTES } from './rpc-message.js'
import { LEDGER_NAME, methods } from './rpc-methods.js'
import { type LedgerContext, RpcSession } from './rpc-session.js'
import { SocketConnection } from './rpc-socket.js'

const CONNECTIONS = 64

export interface RpcServer {
  readonly url: string
  close(): Promise<void>
}

/** JSON-RPC over WebSocket and over HTTP POST on one port; GET / tells that the ledger lives. */
export async function startRpcServer(
  ledger: LedgerContext,
  address: { readonly host: string; readonly port: number },
  report: ReportError,
  origins: AllowedOrigins = [],
): Promise<RpcServer> {
  const callers = new Callers()
  const busy = new WeakSet<Socket>()
  const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5000 }
  const http = createServer(timeouts, (request, response) => {
    const { socket } = request
    // Calls that are sent ahead of an answer would all be read at once, and nobody who asks over HTTP sends any.
    if (busy.has(socket)) return socket.destroy()
    busy.add(socket)
    const caller = callers.enter(() => socket.destroy())
    response.once('close', () => {
      busy.delete(socket)
      caller.leave()
    })
    const refusal = refusalOf(request, origins)
    if (refusal) return send(response, refusal.status, JSON.stringify({ error: refusal.why }))
    serveHttp(ledger, caller, request, response, report).catch((cause: unknown) => {
      report(cause, request.url ?? '')
      response.destroy()
    })
  })
  http.maxConnections = CONNECTIONS
  const sockets = new WebSocketServer({
    server: http,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    verifyClient: ({ req }, tell) => {
      const refusal = refusalOf(req, origins)
      tell(!refusal, refusal?.status, refusal?.why)
    },
  })
  sockets.on('connection', (socket, { socket: tcp }) => SocketConnection.serve(ledger, socket, tcp, callers, report))
  sockets.on('error', () => {}) // the HTTP server hears of the same and decides
  await listen(http, address)
  return {
    url: urlOf(http, address.host),
    close: async () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
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

async function readBody(request: IncomingMessage, caller: Caller): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    caller.hold(chunk.length)
    if (length > MAX_MESSAGE_BYTES) return undefined
    chunks.push(chunk)
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
