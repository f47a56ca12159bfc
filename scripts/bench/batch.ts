import type { Client } from '../tour/client.js'
import type { Measured } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

const ROWS = 10_000

/** Measures batches of credentials from the request to the end of their job, and the revocation of one to final. */
export async function measureBatches(
  client: Client,
  meter: ProcessorMeter,
  print: (measured: Measured) => void,
): Promise<void> {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  const rowsOf = (kind: string, count: number, more: object) =>
    Array.from({ length: count }, (_, row) => ({
      ...more,
      credential: {
        id: `urn:bench:${encodeURIComponent(kind)}:${row}`,
        type: ['UniversityDegreeCredential'],
        issuer: did,
        subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics', graduate: 'Łucja Öztürk', year: 2026 },
      },
    }))
  const run = async (title: string, path: string, body: object, count: number) => {
    const metered = meter()
    const begun = performance.now()
    const { id: job } = await client.call<{ id: string }>('POST', path, body)
    await client.finished(job, 600_000)
    const ms = performance.now() - begun
    const { result } = await client.call<{ result: { done?: number; total?: number } }>('GET', `/jobs/${job}`)
    if (result.done !== result.total) throw new Error(`${title}: ${result.done} of ${result.total} were done`)
    return { title, count, perSecond: (count * 1000) / ms, p50: ms, p95: ms, processorTime: metered(count) }
  }
  const issue = (title: string, count: number, more: object) =>
    run(title, '/credentials/batch', { rows: rowsOf(title, count, more) }, count)
  await issue('warm-up', 200, {})
  print(await issue('A batch, jsonld', ROWS, { format: 'jsonld' }))
  print(await issue('A batch, sdjwt', ROWS, { format: 'sdjwt' }))
  print(await issue('A batch, revocable', ROWS, { revocable: true }))
  const credentialIds = Array.from(
    { length: ROWS },
    (_, row) => `urn:bench:${encodeURIComponent('A batch, revocable')}:${row}`,
  )
  print(await run('A batch revoked, to final', '/credentials/batch/revoke', { credentialIds }, ROWS))
}
