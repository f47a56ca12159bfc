import { once } from 'node:events'
import type { Server } from 'node:http'
import type { WebSocketServer } from 'ws'

/** A node of a test. */
export interface ServedNode {
  readonly url: string
  close(): Promise<void>
}

/** Lets a server and the WebSocket clients that come through it in, at a free port of this machine. */
export async function listening(server: Server, sockets: WebSocketServer): Promise<ServedNode> {
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
