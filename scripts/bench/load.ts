import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Measured, percentiles } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

interface Load {
  title: string
  /** The rate that it shall reach. */
  wanted?: string | undefined
  /** The service's URL: http, without TLS. */
  apiUrl: string
  /** The path of the nth request. */
  pathOf(index: number): string
  seconds: number
  /** The number of connections, each with one request at a time. */
  width: number
  /** Further headers of each request, each with its line's end. */
  headers?: string
  /** The status of each answer; default 200. */
  status?: 200 | 304
  /** The most requests a second; default: as many as there can be. */
  rate?: number
  meter: ProcessorMeter
}

/**
 * Sends GET after GET over connections that stay open, by a client so simple that it takes little of what it measures.
 */
export async function load({
  title,
  wanted,
  apiUrl,
  pathOf,
  headers = '',
  status = 200,
  seconds,
  width,
  rate,
  meter,
}: Load): Promise<Measured> {
  const { hostname, port, host } = new URL(apiUrl)
  const times: number[] = []
  const metered = meter()
  const begun = performance.now()
  const end = begun + seconds * 1000
  let sent = 0

  async function client(): Promise<void> {
    const socket = connect(Number(port), hostname)
    socket.setNoDelay(true)
    await once(socket, 'connect')
    for (;;) {
      const index = sent++
      const due = rate === undefined ? performance.now() : begun + (index * 1000) / rate
      if (due >= end) break
      if (due > performance.now()) await pause(due - performance.now())
      await get(socket, { path: pathOf(index), headers: `Host: ${host}\r\n${headers}`, status })
      times.push(performance.now() - due)
    }
    socket.destroy()
  }

  await Promise.all(Array.from({ length: width }, client))
  const took = (performance.now() - begun) / 1000
  const processorTime = metered(times.length)
  const measured = { title, count: times.length, perSecond: times.length / took, ...percentiles(times), processorTime }
  return { ...measured, ...(wanted !== undefined && { wanted }) }
}

interface Get {
  path: string
  headers: string
  status: number
}

/** Sends a request and waits for the last byte of its answer, which must have the status, and say its length if it has one. */
function get(socket: Socket, { path, headers, status }: Get): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = ''
    let missing: number | undefined
    const done = (error?: Error) => {
      socket.off('data', read).off('error', done)
      if (error) reject(error)
      else resolve()
    }
    const read = (chunk: Buffer) => {
      if (missing === undefined) {
        head += chunk.toString('latin1')
        const bodyAt = head.indexOf('\r\n\r\n') + 4
        if (bodyAt < 4) return
        const length = status === 304 ? [head, '0'] : /\r\ncontent-length: (\d+)\r\n/i.exec(head)
        if (!head.startsWith(`HTTP/1.1 ${status}`) || length === null) return done(new Error(`${path}: ${head}`))
        missing = Number(length[1]) - (head.length - bodyAt)
      } else missing -= chunk.length
      if (missing <= 0) done()
    }
    socket.on('data', read).once('error', done)
    socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n`)
  })
}
