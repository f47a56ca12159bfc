import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { AttackOrder, AttackOutcome, AttackRequest } from './attack.js'

/**
 * A process of its own, so that its work is not done by the client that is measured. Reads its order, attacks, tells
 * the outcome.
 */
let input = ''
process.stdin.setEncoding('utf8')
for await (const chunk of process.stdin) input += chunk
const order: AttackOrder = JSON.parse(input)
const ends = Date.now() + order.seconds * 1000
const outcome: AttackOutcome = {}
const count = (what: string): void => {
  outcome[what] = (outcome[what] ?? 0) + 1
}
let sent = 0
const next = (): AttackRequest => order.requests[sent++ % order.requests.length] ?? { method: 'GET', path: '/' }

function headOf({ method, path, body = '' }: AttackRequest): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: accredit', `SVC-API-TOKEN: ${order.apiKey}`]
  if (body !== '') lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

const agent = new Agent({ keepAlive: true, maxSockets: order.connections, localAddress: order.address })

/** The status, or `cut`. */
function ask({ method, path, body }: AttackRequest): Promise<string> {
  return new Promise((resolve) => {
    const headers = {
      'svc-api-token': order.apiKey,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const options = { agent, host: '127.0.0.1', port: order.port, method, path, headers }
    const sending = httpRequest(options, (answer) => {
      answer.resume()
      answer.once('close', () => resolve(String(answer.statusCode)))
    })
    sending.once('error', () => resolve('cut'))
    sending.end(body)
  })
}

async function flood(): Promise<void> {
  while (Date.now() < ends) {
    const what = await ask(next())
    count(what)
    if (what === 'cut') await pause(20)
  }
}

/** One connection until it is cut, or the time is over. */
function raw(act: (write: (text: string) => boolean, drained: (again: () => void) => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port: order.port, host: '127.0.0.1', localAddress: order.address })
    const timer = setTimeout(() => socket.destroy(), Math.max(0, ends - Date.now()))
    socket.on('error', () => {})
    socket.once('connect', () =>
      act(
        (text) => !socket.destroyed && socket.write(text),
        (again) => socket.once('drain', again),
      ),
    )
    socket.once('close', () => {
      clearTimeout(timer)
      if (Date.now() < ends) count('cut')
      resolve()
    })
    if (order.kind === 'slow') socket.resume()
  })
}

async function unread(): Promise<void> {
  while (Date.now() < ends) {
    await raw((write, drained) => {
      const send = (): void => {
        const request = next()
        count('sent')
        if (write(headOf(request) + (request.body ?? ''))) setImmediate(send)
        else drained(send)
      }
      send()
    })
    await pause(20)
  }
}

async function slow(): Promise<void> {
  while (Date.now() < ends) {
    await raw((write) => {
      const request = next()
      count('sent')
      write(headOf(request))
      const drip = setInterval(() => {
        if (Date.now() >= ends || !write(' ')) clearInterval(drip)
      }, 500)
    })
    await pause(20)
  }
}

async function leave(): Promise<void> {
  while (Date.now() < ends) {
    const request = next()
    count('sent')
    await new Promise<void>((resolve) => {
      const socket = connect({ port: order.port, host: '127.0.0.1', localAddress: order.address })
      socket.on('error', () => {})
      socket.once('close', () => resolve())
      socket.write(headOf(request) + (request.body ?? ''), () => setTimeout(() => socket.destroy(), 5))
    })
  }
}

const act = { flood, unread, slow, leave }[order.kind]
await Promise.all(Array.from({ length: order.connections }, act))
agent.destroy()
process.stdout.write(`${JSON.stringify(outcome)}\n`)
process.exit(0)
