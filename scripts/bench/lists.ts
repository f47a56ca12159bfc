import type { Stack } from '../start/stack.js'
import type { Client } from '../tour/client.js'
import { load } from './load.js'
import { type Measured, measure } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

interface Lists {
  stack: Stack
  client: Client
  meter: ProcessorMeter
  print(measured: Measured): void
}

const CREDENTIALS = 10_000
/** An address may ask for as many lists at once. */
const WIDTH = 8
const SECONDS = 5
const FORMS = { StatusList2021: '', 'Bitstring Status List': '/bitstring', 'Token Status List': '/token' }

/** Measures how soon revocations are final, and how often a list of 2^20 bits can be had, in each form. */
export async function measureLists({ stack, client, meter, print }: Lists): Promise<void> {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  const made = await client.call<{ id: string; data: { id: string } }>('POST', '/registries', { policy: [did] })
  await client.finished(made.id)
  const credentialIds = Array.from({ length: CREDENTIALS }, (_, index) => `urn:bench:${index}`)
  const change = (action: string) => async () => {
    const job = await client.call<{ id: string }>('POST', `/registries/${made.data.id}`, { action, credentialIds })
    await client.finished(job.id)
  }
  for (const action of ['revoke', 'unrevoke', 'revoke']) {
    const { measured } = await measure(
      `${CREDENTIALS} credentials of one list, ${action} asked to final`,
      1,
      1,
      change(action),
    )
    print({ ...measured, count: CREDENTIALS, perSecond: measured.perSecond * CREDENTIALS })
  }
  for (const [name, path] of Object.entries(FORMS)) {
    const url = `/status-lists/${made.data.id}${path}`
    const answer = await fetch(`${stack.apiUrl}${url}`)
    const bytes = (await answer.arrayBuffer()).byteLength
    const asked = { apiUrl: stack.apiUrl, pathOf: () => url, seconds: SECONDS, width: WIDTH, meter }
    print(await load({ ...asked, title: `${name} of 2^20 bits, 1 % set, whole (${Math.round(bytes / 1024)} kB)` }))
    const headers = `If-None-Match: ${answer.headers.get('etag')}\r\n`
    print(await load({ ...asked, title: `${name}, to a reader who has it (304)`, headers, status: 304 }))
  }
}
