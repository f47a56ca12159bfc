import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../formats/json.js'
import type { Certificate } from '../../platform/testing/certificate.js'

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

interface Secure {
  certificate: Certificate
  /** A name that the certificate is for. */
  host: string
}

export async function remoteHost(secure?: Secure): Promise<RemoteHost> {
  const contents = new Map<string, Json | Buffer | Answer>()
  const counts = new Map<string, number>()
  const answer: RequestListener = ({ url = '/' }, response) => {
    counts.set(url, (counts.get(url) ?? 0) + 1)
    const content = contents.get(url)
    if (typeof content === 'function') return content(response)
    response.statusCode = content === undefined ? 404 : 200
    response.end(Buffer.isBuffer(content) ? content : JSON.stringify(content ?? {}))
  }
  const server = secure ? createSecureServer({ ...secure.certificate }, answer) : createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    put(path, content) {
      contents.set(path, content)
      return `${secure ? `https://${secure.host}` : 'http://127.0.0.1'}:${port}${path}`
    },
    asked: (path) => counts.get(path) ?? 0,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
