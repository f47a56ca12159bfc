import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { type AllowedOrigins, refusalOf } from './rpc-door.js'
import type { ReportError } from './rpc-errors.js'
import { answer } from './rpc-message.js'
import { LEDGER_NAME, methods } from './rpc-methods.js'
import { type LedgerContext, RpcSession } from './rpc-session.js'
import { serveSocket } from './rpc-socket.js'
import { Turns } from './rpc-turns.js'

/** An extrinsic of the largest size that a block takes, in hexadecimal, and its envelope. */
const MAX_MESSAGE_BYTES = 12 * 1024 * 1024
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
  const turns = new Turns()
  const busy = new WeakSet<Socket>()
  const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5000 }
  const http = createServer(timeouts, (request, response) => {
    const { socket } = request
    // Calls that are sent ahead of an answer would all be read at once, and nobody who asks over HTTP sends any.
    if (busy.has(socket)) return socket.destroy()
    busy.add(socket)
    response.once('close', () => busy.delete(socket))
    const refusal = refusalOf(request, origins)
    if (refusal) return send(response, refusal.status, JSON.stringify({ error: refusal.why }))
    serveHttp(ledger, turns, request, response, report).catch((cause: unknown) => {
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
  sockets.on('connection', (socket) => serveSocket(ledger, socket, turns, report))
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
  turns: Turns,
  request: IncomingMessage,
  response: ServerResponse,
  report: ReportError,
): Promise<void> {
  if (request.method === 'GET') {
    const { number, hash } = ledger.chain.head
    return send(response, 200, JSON.stringify({ name: LEDGER_NAME, head: { height: number, hash } }))
  }
  if (request.method !== 'POST') return send(response, 405, JSON.stringify({ error: 'only GET and POST' }))
  const body = await readBody(request)
  if (body === undefined) return send(response, 413, JSON.stringify({ error: 'the message is too large' }))
  const text = await answer(body, new RpcSession(ledger, methods, report, undefined, turns), report)
  if (text === undefined) return send(response, 204, '')
  return send(response, 200, text)
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
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
