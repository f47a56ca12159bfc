import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../tour/client.js'
import { type Measured, measure } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

/** The first operations of a process pay for V8's compilation of what they use. */
const ROUNDS = [
  { title: 'after a start', count: 600 },
  { title: 'later', count: 3000 },
]
/** The time after a DID is final in which the rest of its work is done. */
const SETTLED_MS = 2000

interface Made {
  id: string
  did: string
}

/** Measures what one of each of the four commonest operations takes of the processor: DIDs 50 at a time, others 16. */
export async function measureOperations(
  client: Client,
  meter: ProcessorMeter,
  print: (measured: Measured) => void,
): Promise<void> {
  const create = () => client.call<Made>('POST', '/dids', {})
  const issuer = await create()
  await client.finished(issuer.id)
  const issue = () =>
    client.call<object>('POST', '/credentials', {
      revocable: true,
      credential: {
        type: ['UniversityDegreeCredential'],
        issuer: issuer.did,
        subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics', graduate: 'Łucja Öztürk', year: 2026 },
      },
    })
  // It makes the registry that the others stand in.
  await issue()
  for (const { title, count } of ROUNDS) {
    const dids = await measureDids(`A DID, accepted and final, ${title}`, count, { client, meter, print })
    const credentials = await measure(`A revocable credential, ${title}`, count, 16, issue, meter)
    print(credentials.measured)
    const verify = async (index: number) => {
      const { verified } = await client.call<{ verified: boolean }>('POST', '/verify', credentials.answers[index])
      if (!verified) throw new Error('a credential was not verified')
    }
    print((await measure(`A verification, with status, ${title}`, count, 16, verify, meter)).measured)
    const read = (index: number) => client.call('GET', `/dids/${dids[index]?.did}`)
    print((await measure(`GET /dids/{did}, ${title}`, count, 16, read, meter)).measured)
  }
}

interface Measuring {
  client: Client
  meter: ProcessorMeter
  print(measured: Measured): void
}

async function measureDids(title: string, count: number, { client, meter, print }: Measuring): Promise<Made[]> {
  const metered = meter()
  const begun = performance.now()
  const create = () => client.call<Made>('POST', '/dids', {})
  const { measured, answers } = await measure(title, count, 50, create)
  await Promise.all(answers.slice(-50).map(({ id }) => client.finished(id)))
  const seconds = (performance.now() - begun) / 1000
  await pause(SETTLED_MS)
  print({ ...measured, perSecond: count / seconds, processorTime: metered(count) })
  return answers
}
