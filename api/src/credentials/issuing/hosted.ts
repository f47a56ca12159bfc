import { parseHex32 } from '@accredit/chain'
import { LRUCache } from 'lru-cache'
import { FormatError } from '../../formats/format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../../formats/json.js'
import type { ExtraContexts } from '../../formats/json-ld/contexts/document-loader.js'
import { KNOWN_CONTEXTS } from '../../formats/json-ld/contexts/known-contexts.js'
import { anyOf } from '../../platform/database/any-of.js'
import type { Database, Reader } from '../../platform/database/database.js'
import type { RemoteDocuments } from '../../schemas/remote/remote-documents.js'
import { findSchema, type HostedSchema } from '../../schemas/schema.store.js'

type Door = Pick<Database, 'read'>

/** The limits of the contexts in a document that do not ship with the service: their number, and their bytes in all. */
const MOST = { contexts: 64, bytes: 1_048_576 } as const
/** Contexts up to this size together are small: using them takes no time, and their processed forms no room. */
const SMALL_BYTES = 8192
const MEMORY_BYTES = 33_554_432

interface KeptContext {
  document: JsonObject
  bytes: number
}

// Hosted documents never change, so what was read once is kept.
const schemas = new LRUCache<string, HostedSchema>({
  maxSize: MEMORY_BYTES,
  sizeCalculation: ({ document }) => JSON.stringify(document).length,
})
const contexts = new LRUCache<string, KeptContext>({
  maxSize: MEMORY_BYTES,
  sizeCalculation: ({ bytes }) => bytes,
})

/** The sources of schemas and contexts: they are hosted here, or stand elsewhere. */
export interface Documents {
  db: Door
  remoteDocuments: RemoteDocuments
}

/** A schema that a subject can be compared with. */
export interface UsableSchema extends Pick<HostedSchema, 'id' | 'document'> {
  /** The address of its context, where it is hosted here. */
  contextUrl: string | undefined
}

/** A schema by its URI, or by its hash where it is hosted here; or why it cannot be had. */
export async function schemaOf(
  { db, remoteDocuments }: Documents,
  uri: string,
): Promise<UsableSchema | { reason: string }> {
  const hosted = await hostedSchema(db, uri)
  if (hosted) return hosted
  if (parseHex32(uri) !== undefined) return { reason: 'a hash tells nobody where the schema stands' }
  const remote = await remoteDocuments.get('schema', uri)
  return 'reason' in remote ? remote : { id: uri, document: remote.document, contextUrl: undefined }
}

/** A schema that is hosted here, also a deleted one. */
async function hostedSchema(db: Door, uri: string): Promise<HostedSchema | undefined> {
  const known = schemas.get(uri)
  if (known) return known
  const found = await db.read('public', (reader) => findSchema(reader, uri))
  if (found) schemas.set(uri, found)
  return found
}

export interface FoundContexts {
  contexts: ExtraContexts
  /** Why the others cannot be had, by their URLs. */
  missing: ReadonlyMap<string, string>
}

/**
 * Contexts that a document names and that do not ship with the service: those of hosted schemas, and those that stand
 * elsewhere.
 * @param documents contexts as they stand in documents: URLs, objects, or lists of both
 * @throws `FormatError` when there are too many of them, or they are too large
 */
export async function contextsOf(
  { db, remoteDocuments }: Documents,
  ...documents: (Json | undefined)[]
): Promise<FoundContexts> {
  const urls = new Set(documents.flatMap(asArray).filter((part) => typeof part === 'string'))
  const wanted = [...urls].filter((url) => !KNOWN_CONTEXTS.has(url))
  if (wanted.length > MOST.contexts)
    throw new FormatError(
      'too_large',
      `it names ${wanted.length} contexts that do not ship with the service; at most ${MOST.contexts} are possible`,
    )
  const known = new Map<string, KeptContext>()
  for (const url of wanted) {
    const kept = contexts.get(url)
    if (kept) known.set(url, kept)
  }
  const unread = wanted.filter((url) => !known.has(url))
  if (unread.length > 0)
    for (const [url, context] of await db.read('public', (reader) => load(reader, unread))) known.set(url, context)
  const elsewhere = await Promise.all(
    wanted
      .filter((url) => !known.has(url))
      .map(async (url) => ({ url, found: await remoteDocuments.get('context', url) })),
  )
  const remote = elsewhere.flatMap(({ url, found }) => ('reason' in found ? [] : [{ url, ...found }]))
  const bytes = [...known.values(), ...remote].reduce((sum, one) => sum + one.bytes, 0)
  if (bytes > MOST.bytes)
    throw new FormatError(
      'too_large',
      `the contexts that it names have ${bytes} bytes; at most ${MOST.bytes} are possible`,
    )
  const isKept = bytes <= SMALL_BYTES
  return {
    contexts: new Map([
      ...[...known].map(([url, { document }]) => [url, { document, isKept }] as const),
      // The context at an address elsewhere may be another one for each team, and as costly as its author likes.
      ...remote.map(({ url, document }) => [url, { document, isKept: false }] as const),
    ]),
    missing: new Map(elsewhere.flatMap(({ url, found }) => ('reason' in found ? [[url, found.reason]] : []))),
  }
}

async function load(reader: Reader, urls: string[]): Promise<Map<string, KeptContext>> {
  const rows = await reader
    .selectFrom('schemas')
    .select(['context_url', 'context'])
    .where('context_url', '=', anyOf(urls))
    .execute()
  const loaded = new Map<string, KeptContext>()
  for (const { context_url, context } of rows) {
    const text = JSON.stringify(context)
    const document: Json = JSON.parse(text)
    if (isObject(document)) loaded.set(context_url, { document, bytes: Buffer.byteLength(text) })
  }
  for (const [url, context] of loaded) contexts.set(url, context)
  return loaded
}
