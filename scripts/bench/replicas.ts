import { setTimeout as pause } from 'node:timers/promises'
import { apiReplica } from '../start/processes/api-replica.js'
import type { Stack } from '../start/stack.js'
import { type Client, connect } from '../tour/client.js'
import { type Measured, measure } from './measure.js'
import { type ProcessorMeter, processorMeter } from './processor-time.js'

const IDLE_SECONDS = 20
const ROUNDS = 3
const SECONDS = 10
/** The most requests under way. */
const WIDTH = 64

interface Replicas {
  stack: Stack
  projectRoot: string
  stateDir: string
  print: (measured: Measured) => void
}

/**
 * Measures what a second replica of the API costs: the processor time of Postgres and of all while nobody asks for
 * anything, and for each operation under load. For the load both run, and one and two take turns: so both meet the same
 * machine, and no round has plans to make or code to compile. It comes at a steady rate that leaves the processors
 * time: when they have none, every process takes longer for the same work.
 *
 * An operation costs less where more come at the same time, because they share statements and wake-ups. So two
 * replicas are measured twice: each with as many requests as the one has alone, which tells what a replica adds, and
 * with as many together.
 */
export async function measureReplicas({ stack, projectRoot, stateDir, print }: Replicas): Promise<void> {
  const place = { projectRoot, stateDir, databaseUrl: stack.databaseUrl }
  const first = connect(stack.apiUrl, stack.apiKey)
  const { did, id } = await first.call<{ did: string; id: string }>('POST', '/dids', {})
  await first.finished(id)
  await idle('with one replica', processorMeter(stack.pids))
  const second = await apiReplica(place, { PUBLIC_URL: stack.apiUrl })
  try {
    const meter = processorMeter(() => ({ ...stack.pids(), 'second api': second.pid }))
    await idle('with two replicas', meter)
    const both = [first, connect(second.url, stack.apiKey)]
    await load('', 2, did, both, meter, () => undefined)
    for (let round = 1; round <= ROUNDS; round++) {
      await load(`by one replica, round ${round}`, 1, did, [first], meter, print)
      await load(`by two, each as busy, round ${round}`, 2, did, both, meter, print)
      await load(`by two, together as busy, round ${round}`, 1, did, both, meter, print)
    }
  } finally {
    await second.stop()
  }

  async function idle(name: string, meter: ProcessorMeter): Promise<void> {
    const metered = meter()
    await pause(IDLE_SECONDS * 1000)
    const processorTime = metered(IDLE_SECONDS)
    print({ title: `A second of idling ${name}`, count: IDLE_SECONDS, perSecond: 1, p50: 0, p95: 0, processorTime })
  }
}

async function load(
  name: string,
  busy: number,
  issuer: string,
  clients: readonly Client[],
  meter: ProcessorMeter,
  print: (measured: Measured) => void,
): Promise<void> {
  const subject = { id: 'did:example:graduate', degree: 'M.Sc. Physics' }
  const body = { credential: { type: ['DegreeCredential'], issuer, subject } }
  const of = (index: number): Client => clients[index % clients.length] as Client
  const work: [title: string, perSecond: number, one: (index: number) => Promise<unknown>][] = [
    ['Credentials issued', 75 * busy, (index) => of(index).call('POST', '/credentials', body)],
    ['DIDs read', 150 * busy, (index) => of(index).call('GET', `/dids/${issuer}`)],
  ]
  for (const [title, perSecond, one] of work) {
    const begun = performance.now()
    const whenDue = async (index: number): Promise<unknown> => {
      await pause(Math.max(0, begun + (index * 1000) / perSecond - performance.now()))
      return one(index)
    }
    print((await measure(`${title} ${name}`, perSecond * SECONDS, WIDTH, whenDue, meter)).measured)
  }
}
