import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  /** Exactly as it came. */
  text: string
  token: string
  event: string
  data: Record<string, unknown>
  at: number
}

export interface Receiver {
  url: string
  received: Received[]
  /** Decides the answers from now on; default 200. */
  answer: (received: Received, response: ServerResponse) => void
  close(): Promise<void>
}

export const answering =
  (status: number, headers: Record<string, string> = {}) =>
  (_: Received, response: ServerResponse): void =>
    void response.writeHead(status, headers).end()

/** Software of somebody else, on this machine, that events are sent to. */
export async function openReceiver(): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    answer: answering(200),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const { url: path = '', headers } = request
    const received = { path, headers, text, at: performance.now(), ...JSON.parse(text) }
    receiver.received.push(received)
    receiver.answer(received, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}
