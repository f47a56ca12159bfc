import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'
import { listening, type ServedNode } from './listening.js'

/** The answer of a Substrate node for the state of a block that it has discarded. */
const refusalFor = (hash: string) => ({
  code: 4003,
  message: `Client error: UnknownBlock: State already discarded for ${hash}`,
})

/** Serves what the ledger at `url` has, over HTTP and WebSocket, but for the states after the blocks `discarded`. */
export async function servePruned(url: string, discarded: ReadonlySet<string>): Promise<ServedNode> {
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
  return listening(server, sockets)
}
