import { sql } from 'kysely'
import type { Reader } from '../platform/database/database.js'
import { batchLoaderBy } from '../platform/process/batch-loader.js'

interface Found {
  hash: string
  uri: string
}

type Read = { db: { read<T>(scope: 'public', run: (reader: Reader) => Promise<T>): Promise<T> } }

/** A hash has one URI for ever; whether this service still knows it is asked again after this time. */
const KNOWN_MS = 60_000
const KNOWN_MOST = 10_000
const known = new Map<string, { uri: string; until: number }>()

/** Returns the URIs of schema hashes that this service has met: the ledger knows hashes only. */
export async function schemaUris(
  ctx: Read,
  hashes: Iterable<string | null>,
): Promise<(hash: string) => string | undefined> {
  const wanted = [...new Set(hashes)].filter((hash) => hash !== null)
  const now = Date.now()
  const uris = new Map<string, string>()
  for (const hash of wanted) {
    const found = known.get(hash)
    if (found !== undefined && found.until > now) uris.set(hash, found.uri)
  }
  const others = wanted.filter((hash) => !uris.has(hash))
  for (const { hash, uri } of others.length === 0 ? [] : await readUris(ctx.db, others)) {
    uris.set(hash, uri)
    remember(hash, uri, now + KNOWN_MS)
  }
  return (hash) => uris.get(hash)
}

/** Histories that are read at the same time ask for the same few. */
const readUris = batchLoaderBy(
  async (db: Read['db'], asked: string[][]): Promise<Found[][]> => {
    const hashes = [...new Set(asked.flat())]
    const { rows } = await db.read('public', (reader) =>
      sql<Found>`
        select hash, uri from service.schema_uris where hash = any(${hashes}::text[])
        union select hash, id as uri from service.schemas where hash = any(${hashes}::text[])`.execute(reader),
    )
    return asked.map((own) => rows.filter(({ hash }) => own.includes(hash)))
  },
  { running: 1, most: 50 },
)

function remember(hash: string, uri: string, until: number): void {
  known.delete(hash)
  known.set(hash, { uri, until })
  for (const oldest of known.keys()) {
    if (known.size <= KNOWN_MOST) return
    known.delete(oldest)
  }
}
