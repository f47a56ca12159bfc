import { isTraceparent, noteSpans, startTracing, type Tracing } from '@accredit/process/tracing'
import { Client } from 'pg'
import type { Config } from './config'

const CHANNEL = 'ledger_traces'
/** The extrinsics whose traces are remembered until their block is indexed. */
const MOST = 10_000

export interface IndexedExtrinsics {
  hashes: ReadonlySet<string>
  /** The number of events that were written. */
  events: number
  height: number
  /** The time at which their writing began, in ms since 1970. */
  since: number
}

export interface Traces extends Tracing {
  /** Notes a span in the trace of each of these extrinsics that the signer told of. */
  indexed(extrinsics: IndexedExtrinsics): void
}

/**
 * Joins the traces of what it indexes. The ledger knows nothing of traces, so the signer tells which ones an extrinsic
 * belongs to, by a notification before it sends it: a hint, whose loss costs a span. Without a receiver of traces it
 * does not listen.
 */
export async function openTraces({ databaseUrl, isTraced }: Pick<Config, 'databaseUrl' | 'isTraced'>): Promise<Traces> {
  const tracing = await startTracing('accredit-indexer', isTraced)
  if (!isTraced) return { ...tracing, indexed: () => undefined }
  const known = new Map<string, readonly string[]>()
  const client = new Client({ connectionString: databaseUrl, application_name: 'accredit-index-traces' })
  client.on('notification', ({ payload }) => {
    const told = toldIn(payload)
    if (told === undefined) return
    known.set(told.hash, told.traces)
    const [oldest] = known.keys()
    if (known.size > MOST && oldest !== undefined) known.delete(oldest)
  })
  // Its loss ends the process, as that of the other connection does.
  await client.connect()
  await client.query(`LISTEN ${CHANNEL}`)
  return {
    indexed({ hashes, height, since }) {
      for (const hash of hashes) {
        const parents = known.get(hash) ?? []
        known.delete(hash)
        const attributes = { 'accredit.block': height, 'accredit.extrinsic': hash }
        noteSpans(
          'index a block',
          since,
          parents.map((parent) => ({ parent, attributes })),
        )
      }
    },
    async stop() {
      await client.end()
      await tracing.stop()
    },
  }
}

/** Everybody who may use the database may notify. */
function toldIn(payload: string | undefined): { hash: string; traces: string[] } | undefined {
  try {
    const told: unknown = JSON.parse(payload ?? '')
    if (typeof told !== 'object' || told === null || !('hash' in told) || !('traces' in told)) return undefined
    const { hash, traces } = told
    if (typeof hash !== 'string' || !Array.isArray(traces)) return undefined
    return { hash, traces: traces.filter((trace) => typeof trace === 'string' && isTraceparent(trace)) }
  } catch {
    return undefined
  }
}
