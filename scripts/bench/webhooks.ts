import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Stack } from '../start/stack.js'
import { type Client, connect, each } from '../tour/client.js'
import { type Measured, percentiles } from './measure.js'

const HOOKS = 6
const AT_ONCE = 500
const EVENTS = 100
const PAGE = 50
const WANTED = 'p95 200 ms'
const WANTED_RATE = '300/s'

interface Arrival {
  /** The id of the delivery. */
  message: string
  did: string | undefined
  /** The time of the clock of this machine, which is that of the service and of its ledger too. */
  at: number
}

/**
 * Measures deliveries to receivers on this machine. The time of an event is what the log of deliveries tells: the begin
 * of the transaction that commits it, a moment before the event. Events of the ledger have the time of their block besides.
 */
export async function measureWebhooks(stack: Stack, print: (measured: Measured) => void): Promise<void> {
  const client = connect(stack.apiUrl, await stack.newTeam('Hooks'))
  const arrivals: Arrival[] = []
  const good = await listen(async (request, response) => {
    const at = Date.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.end()
    const { data } = JSON.parse(Buffer.concat(chunks).toString())
    arrivals.push({ message: String(request.headers['webhook-id']), did: data.userData, at })
  })
  const silent = await listen(() => undefined)
  const hook = (url: string, event: string) =>
    client.call<{ id: string }>('POST', '/webhooks', { url, events: [event] })
  const arrived = async (count: number) => {
    while (arrivals.length < count) await pause(5)
  }

  /** Makes one event after the other, each when the one before it has arrived. */
  const oneByOne = async (event: string, make: (n: number) => Promise<unknown>) => {
    const { id } = await hook(good.url, event)
    arrivals.length = 0
    const begun = performance.now()
    for (let n = 0; n < EVENTS; n++) {
      await make(n)
      await arrived(n + 1)
    }
    const perSecond = EVENTS / ((performance.now() - begun) / 1000)
    const created = await eventTimes(client, id, EVENTS)
    const times = arrivals.map(({ message, at }) => at - required(created.get(message)))
    await client.call('DELETE', `/webhooks/${id}`)
    return { measured: { wanted: WANTED, count: EVENTS, perSecond, ...percentiles(times) }, told: [...arrivals] }
  }

  const schemas = await oneByOne('schema_create', (n) => makeSchema(client, n))
  print({
    title: 'Web hook of an event that a request commits, from its transaction to its arrival',
    ...schemas.measured,
  })
  const dids = await oneByOne('did_create', () => client.call('POST', '/dids', {}))
  print({
    title: 'Web hook of an event that the follower commits, from its transaction to its arrival',
    ...dids.measured,
  })
  const sinceBlock = await each(dids.told, 8, async ({ did, at }) => at - (await blockTime(client, did)))
  print({ title: 'the same, from the time in its block', ...dids.measured, ...percentiles(sinceBlock) })

  await hook(silent.url, 'schema_create')
  const hooks = await each(Array.from({ length: HOOKS }), 1, () => hook(good.url, 'schema_create'))
  arrivals.length = 0
  const begun = performance.now()
  await each(Array.from({ length: AT_ONCE }), 8, (_, n) => makeSchema(client, n))
  await arrived(AT_ONCE * HOOKS)
  const perSecond = arrivals.length / ((performance.now() - begun) / 1000)
  const created = await each(hooks, 1, ({ id }) => eventTimes(client, id, AT_ONCE))
  const timeOf = new Map(created.flatMap((times) => [...times]))
  const times = percentiles(arrivals.map(({ message, at }) => at - required(timeOf.get(message))))
  const title = `Deliveries of ${AT_ONCE} events at once, one receiver never answers`
  print({ title, wanted: WANTED_RATE, count: arrivals.length, perSecond, ...times })
  for (const { close } of [good, silent]) close()
}

function makeSchema(client: Client, n: number): Promise<unknown> {
  const document = { $schema: 'http://json-schema.org/draft-07/schema#', name: `Hook ${n}`, type: 'object' }
  return client.call('POST', '/schemas', document)
}

/** Returns the times of a web hook's events by the ids of their deliveries. */
async function eventTimes(client: Client, hook: string, count: number): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  for (let offset = 0; offset < count; offset += PAGE) {
    const path = `/webhooks/${hook}/deliveries?limit=${PAGE}&offset=${offset}`
    const rows = await client.call<{ id: string; created: string }[]>('GET', path)
    for (const { id, created } of rows) times.set(id, Date.parse(created))
  }
  return times
}

async function blockTime(client: Client, did: string | undefined): Promise<number> {
  const { list } = await client.call<{ list: { time: string }[] }>('GET', `/dids/${did}/history?limit=1`)
  return Date.parse(required(list[0]?.time))
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('an event that arrived is not told of')
  return value
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
