import type { WebSocket } from 'ws'
import type { ReportError } from './rpc-errors.js'
import { answer } from './rpc-message.js'
import { methods } from './rpc-methods.js'
import { type LedgerContext, RpcSession } from './rpc-session.js'
import type { Turns } from './rpc-turns.js'

/** Messages of a connection that are in work at once. */
const IN_WORK = 64
/** With so much unread nothing more is begun. */
const UNREAD_BYTES = 1024 * 1024
/** With so much unread a connection ends: only one that reads nothing comes to it. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024

/** A connection is read only while there is room for its work and its answers: whoever does not read holds up itself. */
export function serveSocket(ledger: LedgerContext, socket: WebSocket, turns: Turns, report: ReportError): void {
  const waiting: string[] = []
  let inWork = 0
  let unread = 0

  const send = (text: string): void => {
    if (socket.readyState !== socket.OPEN) return
    unread += text.length
    if (unread > MOST_UNREAD_BYTES) {
      socket.terminate()
      return
    }
    socket.send(text, () => {
      unread -= text.length
      goOn()
    })
  }
  const session = new RpcSession(
    ledger,
    methods,
    report,
    (type, subscription, result) =>
      send(JSON.stringify({ jsonrpc: '2.0', method: type, params: { subscription, result } })),
    turns,
  )
  const begin = async (message: string): Promise<void> => {
    inWork++
    try {
      const text = await answer(message, session, report)
      if (text !== undefined) send(text)
    } catch (cause) {
      report(cause, 'message')
    } finally {
      inWork--
      goOn()
    }
  }
  const goOn = (): void => {
    while (inWork < IN_WORK && unread < UNREAD_BYTES) {
      const message = waiting.shift()
      if (message === undefined) break
      void begin(message)
    }
    const isOpen = socket.readyState === socket.OPEN
    if (isOpen && waiting.length === 0 && inWork < IN_WORK && unread < UNREAD_BYTES) socket.resume()
    else if (isOpen) socket.pause()
  }
  socket.on('message', (data) => {
    waiting.push(data.toString())
    goOn()
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    waiting.length = 0
    session.close()
  })
}
