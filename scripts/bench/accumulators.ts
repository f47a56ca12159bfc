import { schemaId } from '@accredit/chain'
import type { Client } from '../tour/client.js'
import { type Measured, measure } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

interface Accumulators {
  client: Client
  meter: ProcessorMeter
  print(measured: Measured): void
}

const MEMBERS = 100_000
/** The most ids of one request, and the most changes of one update. */
const AT_ONCE = 1000

/** Measures an accumulator of many members: how soon revocations are final, and how soon a witness is there. */
export async function measureAccumulators({ client, meter, print }: Accumulators): Promise<void> {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  const asked = { policy: [did], type: 'DockVBAccumulator2022' }
  const made = await client.call<{ id: string; data: { id: string } }>('POST', '/registries', asked)
  await client.finished(made.id)
  const registry = made.data.id
  const idOf = (index: number): string => `urn:bench:member:${index}`
  const change = async (action: string, first: number, count: number) => {
    const credentialIds = Array.from({ length: count }, (_, place) => idOf(first + place))
    const job = await client.call<{ id: string }>('POST', `/registries/${registry}`, { action, credentialIds })
    await client.finished(job.id)
  }
  // Unrevoking what was not revoked gives each its place and changes nothing.
  for (let first = 0; first < MEMBERS; first += AT_ONCE) await change('unrevoke', first, AT_ONCE)
  const title = `Accumulator of ${MEMBERS} members`
  const measured = async (what: string, times: number, task: (index: number) => Promise<unknown>) => {
    const { measured } = await measure(`${title}, ${what}`, times, 1, task, meter)
    print(measured)
  }
  await measured('a revocation, asked to final', 20, (index) => change('revoke', index, 1))
  await measured('a witness', 100, (index) => {
    const revocationId = schemaId(idOf(MEMBERS / 2 + index))
    return client.call('GET', `/revocationStatus/${registry}/${revocationId}/witness`)
  })
  await measured(`${AT_ONCE} revocations in one request, asked to final`, 3, (index) =>
    change('revoke', (index + 1) * AT_ONCE, AT_ONCE),
  )
  await measured('a witness after them', 100, (index) => {
    const revocationId = schemaId(idOf(MEMBERS / 2 + index))
    return client.call('GET', `/revocationStatus/${registry}/${revocationId}/witness`)
  })
}
