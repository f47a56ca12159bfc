import { createLog } from '@accredit/process/log'
import { createPinoSink, setRootSink } from '@subsquid/logger'

export const log = createLog({
  name: 'indexer',
  formatters: { log: withoutSecrets },
})

/**
 * Lines of the libraries bring a time of their own, in another form, and the URL of the ledger, whose path may be the
 * token by which our own processes get in.
 */
function withoutSecrets({ time: _, rpcUrl, ...members }: Record<string, unknown>): Record<string, unknown> {
  return typeof rpcUrl === 'string' && URL.canParse(rpcUrl)
    ? { ...members, rpcUrl: new URL('/', rpcUrl).href }
    : members
}

/**
 * Sends lines of Subsquid's libraries the same way; their own settings decide which they write (SQD_INFO, SQD_DEBUG).
 */
export function takeOverLibraryLogs(): void {
  setRootSink(createPinoSink(log))
}
