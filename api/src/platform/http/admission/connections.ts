import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { clientNetwork } from './client-address.js'

export interface ConnectionBounds {
  /**
   * The connections of one address at once, of which idle ones make room for new ones; those of trusted proxies are not
   * counted.
   */
  perAddress: number
  /** Tells whether requests of this peer name their client in X-Forwarded-For. */
  isProxy: (address: string) => boolean
}

/** The most requests that a client may send ahead of an awaited answer. */
const AHEAD = 64
/** The time for which nothing is read from an address that sent more ahead. */
const BANNED_MS = 30_000
const CONNECTIONS = 10_000
/** The number of requests after which a connection is closed in order; a client opens another. */
const REQUESTS = 10_000

interface Connection {
  socket: Socket
  /** The address that the connection counts for. */
  network: string | undefined
  isBusy: boolean
  ahead: { request: IncomingMessage; response: ServerResponse }[]
}

/**
 * An HTTP server with one request of a connection in work at a time. Node reads on meanwhile and hands over requests
 * that were sent ahead: here they wait, and the socket is not read until they are done, so that a client that does not
 * read answers holds up itself.
 */
export function boundedServer(handler: RequestListener, bounds: ConnectionBounds): Server {
  const connections = new WeakMap<Socket, Connection>()
  const addresses = new Addresses(bounds.perAddress)

  const begin = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    connection.isBusy = true
    response.once('close', () => {
      connection.isBusy = false
      if (request.socket.destroyed) return
      if (addresses.isBanned(connection)) return void request.socket.destroy()
      const next = connection.ahead.shift()
      if (next) return begin(connection, next.request, next.response)
      addresses.rest(connection)
      request.socket.resume()
    })
    handler(request, response)
  }
  const server = createServer({ maxHeaderSize: 16_384, headersTimeout: 15_000 }, (request, response) => {
    const { socket } = request
    const connection = connections.get(socket)
    if (!connection) return void socket.destroy()
    const isOfProxy = bounds.isProxy(socket.remoteAddress ?? '')
    if (isOfProxy && request.headers['x-forwarded-for'] !== undefined) addresses.leave(connection)
    if (!connection.isBusy) return begin(connection, request, response)
    connection.ahead.push({ request, response })
    socket.pause()
    if (connection.ahead.length <= AHEAD) return
    // All clients share the address of a proxy.
    if (connection.network !== undefined && !isOfProxy) addresses.ban(connection.network)
    socket.destroy()
  })
  server.maxConnections = CONNECTIONS
  server.maxRequestsPerSocket = REQUESTS
  server.on('connection', (socket) => {
    const network = clientNetwork(socket.remoteAddress ?? '')
    const connection: Connection = { socket, network, isBusy: false, ahead: [] }
    if (!addresses.enter(connection)) return void socket.destroy()
    connections.set(socket, connection)
    socket.once('close', () => addresses.leave(connection))
    // The connection stays unread until it times out: a client that is disconnected returns at once, which costs more.
    const isBanned = addresses.isBanned(connection)
    // A read request resumes the socket: not while another one waits for its turn.
    socket.resume = () => (isBanned || connection.ahead.length > 0 ? socket : Socket.prototype.resume.call(socket))
    // Node begins to read in the next tick.
    if (isBanned) setImmediate(() => socket.pause())
  })
  return server
}

/** Connections by address, and addresses that get none for a while. */
class Addresses {
  /** Each set has the order in which its connections became idle. */
  private readonly connections = new Map<string, Set<Connection>>()
  private readonly bans = new Map<string, NodeJS.Timeout>()

  constructor(private readonly most: number) {}

  /**
   * Clients keep connections that they may need again: the one that was idle longest makes room, and no busy one does.
   */
  enter(connection: Connection): boolean {
    const { network } = connection
    if (network === undefined) return true
    const others = this.connections.get(network) ?? new Set()
    if (others.size >= this.most) {
      const longest = [...others].find(({ isBusy }) => !isBusy)
      if (longest === undefined) return false
      this.leave(longest)
      longest.socket.destroy()
    }
    this.connections.set(network, others.add(connection))
    return true
  }

  rest(connection: Connection): void {
    const others = connection.network === undefined ? undefined : this.connections.get(connection.network)
    if (others?.delete(connection)) others.add(connection)
  }

  leave(connection: Connection): void {
    const { network } = connection
    if (network === undefined) return
    connection.network = undefined
    const others = this.connections.get(network)
    others?.delete(connection)
    if (others?.size === 0) this.connections.delete(network)
  }

  isBanned({ network }: Connection): boolean {
    return network !== undefined && this.bans.has(network)
  }

  /** Ends its connections, except busy ones with nothing sent ahead: each would bring as much before it is noticed. */
  ban(network: string): void {
    if (this.bans.has(network)) return
    this.bans.set(network, setTimeout(() => this.bans.delete(network), BANNED_MS).unref())
    for (const { isBusy, ahead, socket } of this.connections.get(network) ?? [])
      if (!isBusy || ahead.length > 0) socket.destroy()
  }
}
