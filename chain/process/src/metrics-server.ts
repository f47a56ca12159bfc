import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics, Registry } from 'prom-client'

export interface MetricsServer {
  port: number
  close(): Promise<void>
}

/** A registry with the metrics of the process: memory, processor time, event loop. */
export function processMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

const PORT = /^\d{1,5}$/

/** Reads a setting for a port of metrics; undefined: none are served. @throws when it is no port */
export function metricsPort(name: string, environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const text = environment[name]?.trim()
  if (!text) return undefined
  const port = Number(text)
  if (!PORT.test(text) || port > 65_535) throw new Error(`${name} is "${text}": expected a port`)
  return port
}

/** Serves a registry to Prometheus at /metrics, and nothing else. It has no key: the network decides who gets here. */
export async function serveMetrics(registry: Registry, host: string, port: number): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  server.requestTimeout = 5_000
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  const address: AddressInfo | string | null = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
