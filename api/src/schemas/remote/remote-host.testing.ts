import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../formats/json.js'

type Answer = (response: ServerResponse) => void

/** Somebody else's web server, on this machine. */
export interface RemoteHost {
  /**
   * Serves a content at a path.
   *
   * @returns its URL
   */
  put(path: string, content: Json | Buffer | Answer): string
  /** Returns how often a path was requested. */
  asked(path: string): number
  close(): Promise<void>
}

export async function remoteHost(): Promise<RemoteHost> {
  const contents = new Map<string, Json | Buffer | Answer>()
  const counts = new Map<string, number>()
  const server = createServer(({ url = '/' }, response) => {
    counts.set(url, (counts.get(url) ?? 0) + 1)
    const content = contents.get(url)
    if (typeof content === 'function') return content(response)
    response.statusCode = content === undefined ? 404 : 200
    response.end(Buffer.isBuffer(content) ? content : JSON.stringify(content ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    put(path, content) {
      contents.set(path, content)
      return `http://127.0.0.1:${port}${path}`
    },
    asked: (path) => counts.get(path) ?? 0,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
