import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ReportError } from './rpc-errors.js'
import { answer } from './rpc-message.js'
import { LEDGER_NAME, methods } from './rpc-methods.js'
import { type LedgerContext, RpcSession } from './rpc-session.js'

/** An extrinsic of the largest size that a block takes, in hexadecimal, and its envelope. */
const MAX_MESSAGE_BYTES = 12 * 1024 * 1024

export interface RpcServer {
  readonly url: string
  close(): Promise<void>
}

/** JSON-RPC over WebSocket and over HTTP POST on one port; GET / tells that the ledger lives. */
export async function startRpcServer(
  ledger: LedgerContext,
  address: { readonly host: string; readonly port: number },
  report: ReportError,
): Promise<RpcServer> {
  const http = createServer((request, response) => {
    serveHttp(ledger, request, response, report).catch((cause: unknown) => {
      report(cause, request.url ?? '')
      response.destroy()
    })
  })
  const sockets = new WebSocketServer({ server: http, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false })
  sockets.on('connection', (socket) => serveSocket(ledger, socket, report))
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

function serveSocket(ledger: LedgerContext, socket: WebSocket, report: ReportError): void {
  const session = new RpcSession(ledger, methods, report, (type, subscription, result) => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', method: type, params: { subscription, result } }))
  })
  socket.on('message', (data) => {
    answer(data.toString(), session, report).then(
      (text) => {
        if (text !== undefined && socket.readyState === socket.OPEN) socket.send(text)
      },
      (cause: unknown) => report(cause, 'message'),
    )
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', () => session.close())
}

async function serveHttp(
  ledger: LedgerContext,
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
  const text = await answer(body, new RpcSession(ledger, methods, report), report)
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
