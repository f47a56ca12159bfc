import { anyOf } from '../platform/database/any-of.js'
import type { Database, Reader } from '../platform/database/database.js'
import { findSchema, type HostedSchema } from '../schemas/schema.store.js'
import type { ExtraContexts } from '../suites/document-loader.js'
import { asArray, isObject, type Json, type JsonObject } from '../suites/json.js'
import { KNOWN_CONTEXTS } from '../suites/known-contexts.js'

type Door = Pick<Database, 'read'>

const MAX_KEPT = 1000

// Hosted documents never change, so what was read once is kept.
const schemas = new Map<string, HostedSchema>()
const contexts = new Map<string, JsonObject>()

function keep<T>(cache: Map<string, T>, key: string, value: T): T {
  if (cache.size >= MAX_KEPT) for (const oldest of cache.keys()) if (cache.delete(oldest)) break
  cache.set(key, value)
  return value
}

/** A schema that is hosted here, also a deleted one. */
export async function hostedSchema(db: Door, uri: string): Promise<HostedSchema | undefined> {
  const known = schemas.get(uri)
  if (known) return known
  const found = await db.read('public', (reader) => findSchema(reader, uri))
  return found && keep(schemas, uri, found)
}

/**
 * Contexts of hosted schemas that a document names; anything else that it names is left to whoever loads contexts.
 * @param documents contexts as they stand in documents: URLs, objects, or lists of both
 */
export async function hostedContexts(db: Door, ...documents: (Json | undefined)[]): Promise<ExtraContexts> {
  const urls = new Set(documents.flatMap(asArray).filter((part) => typeof part === 'string'))
  const wanted = [...urls].filter((url) => !KNOWN_CONTEXTS.has(url) && url.length <= 2048)
  const missing = wanted.filter((url) => !contexts.has(url))
  if (missing.length > 0) await db.read('public', (reader) => load(reader, missing))
  const found = wanted.flatMap((url) => {
    const document = contexts.get(url)
    return document ? [[url, { document, immutable: true }] as const] : []
  })
  return new Map(found)
}

async function load(reader: Reader, urls: string[]): Promise<void> {
  const rows = await reader
    .selectFrom('schemas')
    .select(['context_url', 'context'])
    .where('context_url', '=', anyOf(urls))
    .execute()
  for (const { context_url, context } of rows) {
    const document: Json = JSON.parse(JSON.stringify(context))
    if (isObject(document)) keep(contexts, context_url, document)
  }
}
