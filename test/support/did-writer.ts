import type { Client } from '../../scripts/tour/client.js'

export interface Written {
  did: string
  jobId: string
  /** True where the answer came before `begin`. */
  isBefore: boolean
}

/** Makes DIDs, one after the other, until it is told to stop. */
export function didWriter(client: Client): { written: Written[]; begin(): void; stop(): Promise<void> } {
  const written: Written[] = []
  let [isBefore, isStopping] = [true, false]
  const ended = (async () => {
    while (!isStopping) {
      const wasBefore = isBefore
      const { did, id: jobId } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
      written.push({ did, jobId, isBefore: wasBefore && isBefore })
    }
  })()
  return {
    written,
    begin: () => {
      isBefore = false
    },
    stop: () => {
      isStopping = true
      return ended
    },
  }
}
