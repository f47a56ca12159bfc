import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Stack } from '../start/stack.js'
import { connect, each } from '../tour/client.js'
import { type Measured, percentiles } from './measure.js'

const PER_EVENT = 6

/** Measures deliveries to receivers on this machine, one of which never answers. */
export async function measureWebhooks(stack: Stack, print: (measured: Measured) => void): Promise<void> {
  const client = connect(stack.apiUrl, await stack.newTeam('Hooks'))
  const stored = new Map<string, number>()
  const arrivals: { id: string; at: number }[] = []
  const good = await listen(async (request, response) => {
    const at = performance.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.end()
    arrivals.push({ id: JSON.parse(Buffer.concat(chunks).toString()).data.id, at })
  })
  const silent = await listen(() => undefined)
  const hook = (url: string) => client.call('POST', '/webhooks', { url, events: ['schema_create'] })
  const schema = async (n: number) => {
    const document = { $schema: 'http://json-schema.org/draft-07/schema#', name: `Hook ${n}`, type: 'object' }
    const { data } = await client.call<{ data: { id: string } }>('POST', '/schemas', document)
    stored.set(data.id, performance.now())
  }
  const events = async (title: string, count: number, width: number, receivers: number) => {
    arrivals.length = 0
    const begun = performance.now()
    await each(Array.from({ length: count }), width, (_, n) => schema(n))
    while (arrivals.length < count * receivers) await new Promise((resolve) => setTimeout(resolve, 10))
    const seconds = (performance.now() - begun) / 1000
    const waits = arrivals.map(({ id, at }) => Math.max(0, at - (stored.get(id) ?? at)))
    print({ title, count: arrivals.length, perSecond: arrivals.length / seconds, ...percentiles(waits) })
  }
  await hook(good.url)
  await events('Web hook, from the answer to its arrival, one event after the other', 100, 1, 1)
  await hook(silent.url)
  for (let more = 1; more < PER_EVENT; more++) await hook(good.url)
  await events('Deliveries of 500 events, one receiver never answers', 500, 8, PER_EVENT)
  for (const { close } of [good, silent]) close()
}

async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close }
}
