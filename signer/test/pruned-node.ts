import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'

export interface PrunedNode {
  readonly url: string
  close(): Promise<void>
}

/** The answer of a Substrate node for the state of a block that it has discarded. */
const refusalFor = (hash: string) => ({
  code: 4003,
  message: `Client error: UnknownBlock: State already discarded for ${hash}`,
})

/** Serves what the ledger at `url` has, over HTTP and WebSocket, but for the states after the blocks `discarded`. */
export async function servePruned(url: string, discarded: ReadonlySet<string>): Promise<PrunedNode> {
  const upstream = url.replace(/^ws/, 'http')
  async function answer(request: string): Promise<string> {
    const { id, method, params } = JSON.parse(request)
    const hash = params.find((param: unknown) => typeof param === 'string' && discarded.has(param))
    if (/^state_/.test(method) && hash !== undefined)
      return JSON.stringify({ jsonrpc: '2.0', id, error: refusalFor(hash) })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(upstream, { method: 'POST', headers, body: request })).text()
  }
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(await answer(await text(request)))
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) =>
    socket.on('message', (data) => {
      answer(String(data)).then(
        (text) => socket.send(text),
        // The ledger behind it is gone, and so is the node.
        () => socket.terminate(),
      )
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the node listens on no port')
  return {
    url: `ws://127.0.0.1:${address.port}`,
    async close() {
      for (const client of sockets.clients) client.terminate()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
