import { LRUCache } from 'lru-cache'
import type { Environment } from '../platform/http/context.js'
import { oneOfEach } from '../platform/process/one-of-each.js'
import { findTerms } from './registry.store.js'
import type { ListTerms } from './registry.tables.js'

/** The terms of a registry that was made without this service. */
export const USUAL_TERMS: ListTerms = { purpose: 'revocation', ttl_seconds: 300, messages: null }

type Db = Environment['db']

const termsIn = oneOfEach((_: Db) => new LRUCache<string, ListTerms>({ max: 10_000 }))

/** Returns the terms of a registry. They never change, so that each registry is asked for once. */
export async function termsOf(db: Db, registryId: string): Promise<ListTerms> {
  const cache = termsIn(db)
  const known = cache.get(registryId)
  if (known !== undefined) return known
  const terms = await db.read('public', (reader) => findTerms(reader, registryId))
  if (terms !== undefined) cache.set(registryId, terms)
  return terms ?? USUAL_TERMS
}
