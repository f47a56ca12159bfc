import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A port that leads to one ledger, then to another: for its client, the node takes back the chain. */
export class LedgerSwitch {
  private readonly open = new Set<Socket>()
  private port = 0

  private constructor(
    private target: string,
    private readonly server: Server,
  ) {}

  static async to(url: string): Promise<LedgerSwitch> {
    const server = createServer()
    const made = new LedgerSwitch(url, server)
    server.on('connection', (client) => made.join(client))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
    made.port = address.port
    return made
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`
  }

  /** Cuts off all that are connected: they reach the other ledger when they come again. */
  turnTo(url: string): void {
    this.target = url
    for (const socket of this.open) socket.destroy()
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy()
    this.server.close()
    await once(this.server, 'close')
  }

  private join(client: Socket): void {
    const { hostname, port } = new URL(this.target)
    const node = connect(Number(port), hostname)
    client.pipe(node).pipe(client)
    for (const [socket, other] of [
      [client, node],
      [node, client],
    ] as const) {
      this.open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.open.delete(socket)
        other.destroy()
      })
    }
  }
}
