import type { Did } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { validAt } from '../temporal.js'

/** One fact of a registry that the ledger has once the requested change is done. */
export type ExpectedChange =
  | { of: 'registry'; convener: Did; name: string; governance: string }
  | { of: 'removed' }
  | { of: 'schema' | 'public'; schema: string; holds: boolean }
  | { of: 'issuer' | 'verifier'; schema: string; did: string; holds: boolean }
  /** All prices of an issuer. */
  | { of: 'prices'; schema: string; did: string; prices: Record<string, string> }
  /** The price in one currency; null: none. */
  | { of: 'price'; schema: string; did: string; currency: string; price: string | null }
  | { of: 'suspended'; did: string; holds: boolean }
  | { of: 'delegate'; did: string; delegate: string; holds: boolean }

/** A registry as it was at a block, both as expressions of the enclosing statement. */
export interface RegistryAt {
  registry: RawBuilder<string>
  block: RawBuilder<number>
}

/** Tells in SQL whether all expected changes of a jsonb array are there. */
export const allHold = (
  changes: RawBuilder<unknown>,
  point: RegistryAt,
): RawBuilder<boolean> => sql<boolean>`not exists (
  select from jsonb_to_recordset(${changes}) as f (of text, convener text, name text, governance text,
    schema text, did text, holds boolean, prices jsonb, currency text, price text, delegate text)
  where not ${holds(point)})`

/** Tells in SQL whether the expected change `f` is there. */
function holds({ registry, block }: RegistryAt): RawBuilder<boolean> {
  const ofRegistry = sql`x.registry_id = ${registry} and ${validAt('x', block)}`
  const ofSchema = sql`${ofRegistry} and x.schema_id = f.schema`
  return sql<boolean>`case f.of
    when 'registry' then exists (select from ledger.trust_registry x where ${ofRegistry}
      and x.convener = f.convener and x.name = f.name and x.gov_framework = f.governance)
    when 'removed' then exists (select from ledger.trust_registry x where x.registry_id = ${registry} and x.from_block <= ${block})
      and not exists (select from ledger.trust_registry x where ${ofRegistry})
    when 'schema' then f.holds = exists (select from ledger.registry_schema x where ${ofSchema})
    when 'public' then f.holds = exists (select from ledger.registry_schema x where ${ofSchema} and x.is_public)
    when 'issuer' then f.holds = exists (select from ledger.issuer x where ${ofSchema} and x.did = f.did)
    when 'verifier' then f.holds = exists (select from ledger.verifier x where ${ofSchema} and x.did = f.did)
    when 'prices' then exists (select from ledger.issuer x where ${ofSchema} and x.did = f.did and x.prices = f.prices)
    when 'price' then f.price is not distinct from (
      select x.prices ->> f.currency from ledger.issuer x where ${ofSchema} and x.did = f.did)
    when 'suspended' then f.holds = exists (select from ledger.suspension x where ${ofRegistry} and x.did = f.did)
    when 'delegate' then f.holds = exists (
      select from ledger.delegation x where ${ofRegistry} and x.issuer = f.did and x.delegate = f.delegate)
    else false end`
}
