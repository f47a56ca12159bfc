import { LRUCache } from 'lru-cache'
import type { Environment } from '../platform/http/context.js'
import { findTerms } from './registry.store.js'
import type { ListTerms } from './registry.tables.js'

/** The terms of a registry that was made without this service. */
export const USUAL_TERMS: ListTerms = { purpose: 'revocation', ttl_seconds: 300, messages: null }

type Db = Environment['db']

const ofProcess = new WeakMap<Db, LRUCache<string, ListTerms>>()

/** Returns the terms of a registry. They never change, so that each registry is asked for once. */
export async function termsOf(db: Db, registryId: string): Promise<ListTerms> {
  const cache = ofProcess.get(db) ?? new LRUCache<string, ListTerms>({ max: 10_000 })
  ofProcess.set(db, cache)
  const known = cache.get(registryId)
  if (known !== undefined) return known
  const terms = await db.read('public', (reader) => findTerms(reader, registryId))
  if (terms !== undefined) cache.set(registryId, terms)
  return terms ?? USUAL_TERMS
}
