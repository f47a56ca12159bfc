import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** A mail server on this machine that greets nobody until it is opened, and counts the mails of each recipient. */
export interface MailCounter {
  url: string
  open(): void
  /** The number of mails that came, by recipient. */
  counts: ReadonlyMap<string, number>
  /** Returns the number of recipients of a domain whose mail came. */
  reached(domain: string): number
  close(): void
}

/** Speaks as much of SMTP as a client needs that sends without signing in (RFC 5321). */
export async function mailCounter(): Promise<MailCounter> {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const counts = new Map<string, number>()
  const domains = new Map<string, number>()
  const sockets = new Set<Socket>()
  function count(recipient: string): void {
    const before = counts.get(recipient) ?? 0
    counts.set(recipient, before + 1)
    const domain = recipient.slice(recipient.indexOf('@') + 1)
    if (before === 0) domains.set(domain, (domains.get(domain) ?? 0) + 1)
  }
  async function talk(socket: Socket): Promise<void> {
    await opened
    socket.write('220 counter\r\n')
    let [recipient, isData] = ['', false]
    for await (const line of createInterface({ input: socket })) {
      if (isData && line !== '.') continue
      if (isData) count(recipient)
      recipient = /^RCPT TO:<(.*?)>/i.exec(line)?.[1] ?? recipient
      isData = !isData && /^DATA/i.test(line)
      socket.write(isData ? '354 go on\r\n' : '250 taken\r\n')
    }
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A client that is killed breaks off.
    socket.on('error', () => undefined)
    talk(socket).catch(() => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open,
    counts,
    reached: (domain) => domains.get(domain) ?? 0,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
