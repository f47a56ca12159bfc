import type { Stack } from '../start/stack.js'
import { type Client, connect, each } from '../tour/client.js'
import { didToFinal } from './dids.js'
import { emptyRegistry, institutions } from './institutions.js'
import { type Measured, percentiles } from './measure.js'

/** One team makes one DID after the other, each awaited until it is final, while another team has much to write. */
export async function measureFairness(stack: Stack, print: (measured: Measured) => void): Promise<void> {
  const busy = connect(stack.apiUrl, stack.apiKey)
  const calm = connect(stack.apiUrl, await stack.newTeam('Calm'))
  for (let warmUp = 0; warmUp < 5; warmUp++) await didToFinal(calm)
  print(await didsDuring('alone', calm, pause(5_000)))
  const rows = institutions()
  const registry = await emptyRegistry(busy)
  const begun = performance.now()
  const { id } = await busy.call<{ id: string }>('POST', `/trust-registries/${registry}/participants/bulk`, rows)
  const bulk = busy.finished(id, 600_000).then(() => {
    const seconds = (performance.now() - begun) / 1000
    print({ title: 'The bulk itself', count: rows.length, perSecond: rows.length / seconds, p50: 0, p95: 0 })
  })
  print(await didsDuring('during a bulk of 10,000 rows', calm, bulk))
  const flood = each(Array.from({ length: 1000 }), 50, () => busy.call<{ id: string }>('POST', '/dids', {})).then(
    (made) => each(made, 50, ({ id }) => busy.finished(id)),
  )
  print(await didsDuring('during a flood of 1,000 DIDs, 50 at a time', calm, flood))
}

async function didsDuring(title: string, client: Client, until: Promise<unknown>): Promise<Measured> {
  const times: number[] = []
  let isOver = false
  const over = until.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const begun = performance.now()
    await didToFinal(client)
    times.push(performance.now() - begun)
  }
  await over
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1000
  return {
    title: `One DID after the other, accepted to final, ${title} (at most ${Math.max(...times).toFixed(0)} ms)`,
    count: times.length,
    perSecond: times.length / seconds,
    ...percentiles(times),
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
