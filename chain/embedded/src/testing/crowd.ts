import { WebSocket } from 'ws'

/** Connections that ask nothing, each of which comes again as soon as it is gone. */
export class Crowd {
  inside = 0
  private isOver = false
  private readonly sockets = new Set<WebSocket>()

  private readonly url: string

  constructor(url: string) {
    this.url = url
  }

  gather(count: number): void {
    for (let n = 0; n < count; n++) this.enter()
  }

  leave(): void {
    this.isOver = true
    for (const socket of this.sockets) socket.terminate()
  }

  private enter(): void {
    if (this.isOver) return
    const socket = new WebSocket(this.url)
    this.sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('open', () => {
      this.inside++
      socket.once('close', () => this.inside--)
    })
    socket.on('close', () => {
      this.sockets.delete(socket)
      setTimeout(() => this.enter(), 50)
    })
  }
}
