import { once } from 'node:events'
import { createServer } from 'node:http'
import { WebSocket, WebSocketServer } from 'ws'
import { listening, type ServedNode } from '../../signer/test/listening.js'

/**
 * Serves the ledger at `url` as a node does for which it takes a while until a block is final.
 *
 * @param finalHeads the hashes of the blocks that it tells in turn as the newest final one; then what the ledger says
 */
export async function serveLagging(url: string, finalHeads: readonly string[]): Promise<ServedNode> {
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  const older = [...finalHeads]
  sockets.on('connection', (client) => {
    const ledger = new WebSocket(url)
    const opened = once(ledger, 'open')
    client.on('message', async (data) => {
      const request = String(data)
      const { id, method } = JSON.parse(request)
      const result = method === 'chain_getFinalizedHead' ? older.shift() : undefined
      if (result !== undefined) return client.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
      await opened
      ledger.send(request)
    })
    ledger.on('message', (data) => client.send(String(data)))
    client.on('close', () => ledger.close())
  })
  return listening(server, sockets)
}
