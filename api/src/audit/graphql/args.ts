import { type Did, type Hex32, parseHex32 } from '@accredit/chain'
import { namedDid } from '../../dids/did-param.js'
import { parseSchemaRef } from '../../ecosystems/names/schema-ref.js'
import { type HistoryFilter, parseBound, refuseBackwards } from '../../ledger/read/history/history-filter.js'
import type { LedgerFilter } from '../../ledger/read/query-filter.js'
import { invalid } from '../../platform/errors.js'
import { eventNames } from '../event-names.js'

/** GraphQL gives null for what a caller left empty on purpose. */
type Maybe<T> = T | null | undefined

export interface RegistryFilterArg {
  issuers?: Maybe<string[]>
  verifiers?: Maybe<string[]>
  issuersOrVerifiers?: Maybe<string[]>
  schemas?: Maybe<string[]>
}

export interface EventFilterArg {
  event?: Maybe<string[]>
  did?: Maybe<string>
  schema?: Maybe<string>
  from?: Maybe<string>
  to?: Maybe<string>
}

const LIST_MAX = 64

export function registryFilter(arg: Maybe<RegistryFilterArg>): LedgerFilter | undefined {
  const { issuers, verifiers, issuersOrVerifiers, schemas } = arg ?? {}
  if (!issuers && !verifiers && !issuersOrVerifiers && !schemas) return undefined
  const dids = (list: string[], field: string): Did[] => bounded(list, field).map((did) => namedDid(did, field))
  return {
    ...(issuers && { issuers: dids(issuers, 'issuers') }),
    ...(verifiers && { verifiers: dids(verifiers, 'verifiers') }),
    ...(issuersOrVerifiers && { issuersOrVerifiers: dids(issuersOrVerifiers, 'issuersOrVerifiers') }),
    ...(schemas && { schemaIds: bounded(schemas, 'schemas').map((text) => parseSchemaRef(text, 'schemas').hash) }),
  }
}

export function eventFilter(arg: Maybe<EventFilterArg>): Omit<HistoryFilter, 'trustRegistryId'> & { dids: Did[] } {
  const { event, did, schema, from, to } = arg ?? {}
  // An empty text is refused like any other that names nothing: it does not count as a filter that was left out.
  const filter = {
    dids: isGiven(did) ? [namedDid(did, 'did')] : [],
    ...(event && { events: eventNames(bounded(event, 'event')) }),
    ...(isGiven(schema) && { schemaId: parseSchemaRef(schema, 'schema').hash }),
    ...(isGiven(from) && { from: parseBound(from, 'from') }),
    ...(isGiven(to) && { to: parseBound(to, 'to') }),
  }
  refuseBackwards(filter)
  return filter
}

export const isGiven = <T>(value: Maybe<T>): value is T => value !== undefined && value !== null

export const schemaHash = (text: Maybe<string>): Hex32 | undefined =>
  isGiven(text) ? parseSchemaRef(text, 'schema').hash : undefined

/** Returns an id of 32 bytes, or undefined: a malformed id names nothing. */
export const hexId = (text: string): Hex32 | undefined => parseHex32(text)

function bounded(list: string[], field: string): string[] {
  if (list.length > LIST_MAX) throw invalid(`${field} holds more than ${LIST_MAX}`)
  return list
}
