import type { Client } from '../tour/client.js'
import { degreeIssuer } from './degrees.js'
import { burstOfDids } from './dids.js'
import { type Measured, measure } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

/** The first operations of a process pay for V8's compilation of what they use. */
const ROUNDS = [
  { title: 'after a start', count: 600 },
  { title: 'later', count: 3000 },
]
/** More questions for their ends would cost a part of what is measured. */
const WAITED_FOR = 50

/** Measures what one of each of the four commonest operations takes of the processor: DIDs 50 at a time, others 16. */
export async function measureOperations(
  client: Client,
  meter: ProcessorMeter,
  print: (measured: Measured) => void,
): Promise<void> {
  const { issue, verify } = await degreeIssuer(client)
  // It makes the registry that the others stand in.
  await issue(true)()
  for (const { title, count } of ROUNDS) {
    const { dids, final } = await burstOfDids(client, count, meter, WAITED_FOR)
    print({ ...final, title: `A DID, accepted and final, ${title}` })
    const { measured, answers } = await measure(`A revocable credential, ${title}`, count, 16, issue(true), meter)
    print(measured)
    const verifyOne = (index: number) => verify(answers[index])
    print((await measure(`A verification, with status, ${title}`, count, 16, verifyOne, meter)).measured)
    const read = (index: number) => client.call('GET', `/dids/${dids[index]}`)
    print((await measure(`GET /dids/{did}, ${title}`, count, 16, read, meter)).measured)
  }
}
