import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { validAt } from './temporal.js'

/**
 * The filter of the ledger queries: fields combine by intersection, values of one field by union. A field without
 * values matches nothing, and so does a filter without fields.
 */
export interface LedgerFilter {
  issuers?: Did[]
  verifiers?: Did[]
  issuersOrVerifiers?: Did[]
  schemaIds?: Hex32[]
}

type Condition = RawBuilder<boolean>

export function isEmptyFilter({ issuers, verifiers, issuersOrVerifiers, schemaIds }: LedgerFilter): boolean {
  const fields = [issuers, verifiers, issuersOrVerifiers, schemaIds].filter((field) => field !== undefined)
  return fields.length === 0 || fields.some((field) => field.length === 0)
}

/** Tells in SQL whether a registry `r` matches: its fields may match on different schemas. */
export function registryMatches(filter: LedgerFilter, block: number): Condition {
  const conditions: Condition[] = []
  const inRegistry = (place: RawBuilder<unknown>): Condition => sql<boolean>`r.registry_id in (${place})`
  const { issuers, verifiers, issuersOrVerifiers, schemaIds } = filter
  if (issuers) conditions.push(inRegistry(issuerPlaces(issuers, block, sql`p.registry_id`)))
  if (verifiers) conditions.push(inRegistry(verifierPlaces(verifiers, block, sql`p.registry_id`)))
  if (issuersOrVerifiers) conditions.push(inRegistry(anyPlaces(issuersOrVerifiers, block, sql`p.registry_id`)))
  if (schemaIds)
    conditions.push(
      inRegistry(sql`select p.registry_id from ledger.registry_schema p
        where p.schema_id = any(${schemaIds}::text[]) and ${validAt('p', block)}`),
    )
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** Tells in SQL whether a schema `s` of one registry matches: all fields must match on this schema. */
export function schemaMatches(filter: LedgerFilter, block: number): Condition {
  const conditions: Condition[] = []
  const here = (places: RawBuilder<unknown>): Condition => sql<boolean>`(s.registry_id, s.schema_id) in (${places})`
  const place = sql`p.registry_id, p.schema_id`
  const { issuers, verifiers, issuersOrVerifiers, schemaIds } = filter
  if (issuers) conditions.push(here(issuerPlaces(issuers, block, place)))
  if (verifiers) conditions.push(here(verifierPlaces(verifiers, block, place)))
  if (issuersOrVerifiers) conditions.push(here(anyPlaces(issuersOrVerifiers, block, place)))
  if (schemaIds) conditions.push(sql<boolean>`s.schema_id = any(${schemaIds}::text[])`)
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** Selects the places where these DIDs issue, listed themselves or as delegates. */
function issuerPlaces(dids: Did[], block: number, columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select ${columns} from ledger.issuer p where p.did = any(${dids}::text[]) and ${validAt('p', block)}
    union
    select ${columns} from ledger.delegation d
      join ledger.issuer p on p.registry_id = d.registry_id and p.did = d.issuer and ${validAt('p', block)}
      where d.delegate = any(${dids}::text[]) and ${validAt('d', block)}`
}

/** Selects the places where they are listed as verifiers; a public schema lists nobody. */
function verifierPlaces(dids: Did[], block: number, columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ${columns} from ledger.verifier p where p.did = any(${dids}::text[]) and ${validAt('p', block)}`
}

/** Selects the places of either role as one set: with two sets the planner would test each registry against them. */
const anyPlaces = (dids: Did[], block: number, columns: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${issuerPlaces(dids, block, columns)} union ${verifierPlaces(dids, block, columns)}`
