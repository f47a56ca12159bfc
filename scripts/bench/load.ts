import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Measured, percentiles } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

interface Load {
  title: string
  /** The service's URL: http, without TLS. */
  apiUrl: string
  /** The path of the nth request. */
  pathOf(index: number): string
  seconds: number
  /** The number of connections, each with one request at a time. */
  width: number
  /** The most requests a second; default: as many as there can be. */
  rate?: number
  meter: ProcessorMeter
}

/**
 * Sends GET after GET over connections that stay open, by a client so simple that it takes little of what it measures.
 */
export async function load({ title, apiUrl, pathOf, seconds, width, rate, meter }: Load): Promise<Measured> {
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
      await get(socket, host, pathOf(index))
      times.push(performance.now() - due)
    }
    socket.destroy()
  }

  await Promise.all(Array.from({ length: width }, client))
  const took = (performance.now() - begun) / 1000
  const processorTime = metered(times.length)
  return { title, count: times.length, perSecond: times.length / took, ...percentiles(times), processorTime }
}

/** Sends a request and waits for the last byte of its answer, which must be 200 and say its length. */
function get(socket: Socket, host: string, path: string): Promise<void> {
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
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)
        if (!head.startsWith('HTTP/1.1 200') || length === null) return done(new Error(`${path}: ${head}`))
        missing = Number(length[1]) - (head.length - bodyAt)
      } else missing -= chunk.length
      if (missing <= 0) done()
    }
    socket.on('data', read).once('error', done)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  })
}
