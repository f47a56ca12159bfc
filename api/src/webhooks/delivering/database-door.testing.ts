import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A door between a process and its database, at which the process can be ended between two words of theirs. */
export interface DatabaseDoor {
  /** Returns the URL of the same database behind the door. */
  urlOf(url: string): string
  /**
   * Calls `then` when the process speaks for the nth time from now on: before the database hears of it, or with
   * `isHeard` afterwards, so that the database does what the process does not learn of.
   */
  atMessage(n: number, isHeard: boolean, then: () => void): void
  close(): Promise<void>
}

export async function openDatabaseDoor(databaseUrl: string): Promise<DatabaseDoor> {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let waiting: { left: number; isHeard: boolean; then: () => void } | undefined
  const server = createServer((inside) => {
    const outside = connect(Number(port || 5432), hostname)
    for (const [socket, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.end()
      })
    }
    outside.pipe(inside)
    inside.on('data', (message: Buffer) => {
      const due = waiting !== undefined && --waiting.left === 0 ? waiting : undefined
      if (!due) return void outside.write(message)
      waiting = undefined
      if (due.isHeard) outside.write(message, due.then)
      else due.then()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = (server.address() as AddressInfo).port
  return {
    urlOf(url) {
      const behind = new URL(url)
      behind.hostname = '127.0.0.1'
      behind.port = String(own)
      return behind.href
    },
    atMessage(n, isHeard, then) {
      waiting = { left: n, isHeard, then }
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
