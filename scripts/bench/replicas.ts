import { apiReplica } from '../start/processes/api-replica.js'
import type { Stack } from '../start/stack.js'
import { connect } from '../tour/client.js'
import { type Measured, measure } from './measure.js'
import { processorMeter } from './processor-time.js'

const IDLE_SECONDS = 20
const ROUNDS = 3
const OPERATIONS = 500
const WIDTH = 16

interface Replicas {
  stack: Stack
  projectRoot: string
  stateDir: string
  print: (measured: Measured) => void
}

/**
 * Measures what a second replica of the API costs: the processor time of Postgres and of all while nobody asks for
 * anything, and for each operation under load. One and two replicas take turns, so that both meet the same machine.
 */
export async function measureReplicas({ stack, projectRoot, stateDir, print }: Replicas): Promise<void> {
  const place = { projectRoot, stateDir, databaseUrl: stack.databaseUrl }
  const warmUp = connect(stack.apiUrl, stack.apiKey)
  const { did, id } = await warmUp.call<{ did: string; id: string }>('POST', '/dids', {})
  await warmUp.finished(id)
  for (let round = 1; round <= ROUNDS; round++) {
    await both(`with one replica, round ${round}`, did, [stack.apiUrl], stack.pids)
    const second = await apiReplica(place, { PUBLIC_URL: stack.apiUrl })
    const pids = () => ({ ...stack.pids(), 'second api': second.pid })
    await both(`with two replicas, round ${round}`, did, [stack.apiUrl, second.url], pids).finally(second.stop)
  }

  async function both(name: string, issuer: string, urls: string[], pids: () => Record<string, number>) {
    const meter = processorMeter(pids)
    const clients = urls.map((url) => connect(url, stack.apiKey))
    const metered = meter()
    await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000))
    const processorTime = metered(IDLE_SECONDS)
    print({ title: `A second of idling ${name}`, count: IDLE_SECONDS, perSecond: 1, p50: 0, p95: 0, processorTime })
    const subject = { id: 'did:example:graduate', degree: 'M.Sc. Physics' }
    const body = { credential: { type: ['DegreeCredential'], issuer, subject } }
    const work: Record<string, (index: number) => Promise<unknown> | undefined> = {
      'Credentials issued': (index) => clients[index % clients.length]?.call('POST', '/credentials', body),
      'DIDs read': (index) => clients[index % clients.length]?.call('GET', `/dids/${issuer}`),
    }
    for (const [title, one] of Object.entries(work)) {
      await measure('warm-up', 50, WIDTH, async (index) => one(index))
      print((await measure(`${title} ${name}`, OPERATIONS, WIDTH, async (index) => one(index), meter)).measured)
    }
  }
}
