import { setTimeout as pause } from 'node:timers/promises'
import { type Client, each } from '../tour/client.js'
import { type Measured, measure, percentiles } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

/** The time in which the work is done that an action leaves after it is final: it belongs to the action. */
const SETTLED_MS = 2000
const WIDTH = 50

interface Burst {
  dids: readonly string[]
  accepted: Measured
  /** From the beginning to the end of those that were waited for. */
  final: Measured
}

/**
 * Makes DIDs, 50 at a time, and waits for them on the ledger.
 * @param waitedFor the number of the last ones whose end is asked for; default: all
 */
export async function burstOfDids(
  client: Client,
  count: number,
  meter: ProcessorMeter,
  waitedFor: number = count,
): Promise<Burst> {
  const begun = performance.now()
  const metered = meter()
  const create = () => client.call<{ id: string; did: string }>('POST', '/dids', {})
  const { measured, answers } = await measure('DIDs accepted', count, WIDTH, create)
  const times: number[] = []
  await each(answers.slice(-waitedFor), WIDTH, async ({ id }) => {
    await client.finished(id)
    times.push(performance.now() - begun)
  })
  const seconds = (performance.now() - begun) / 1000
  await pause(SETTLED_MS)
  const final = { title: 'DIDs final on the ledger (burst)', count, perSecond: count / seconds, ...percentiles(times) }
  return {
    dids: answers.map(({ did }) => did),
    accepted: measured,
    final: { ...final, processorTime: metered(count) },
  }
}

export async function didToFinal(client: Client): Promise<void> {
  const { id } = await client.call<{ id: string }>('POST', '/dids', {})
  await client.finished(id)
}
