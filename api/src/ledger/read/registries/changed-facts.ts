import { sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'
import { validAt } from '../temporal.js'

/** A registry as it was at a block; the last state of one that was removed. */
export interface RegistryFacts {
  id: string
  block: number
  convener: string
  name: string
}

/** The rights of a DID in a registry at a block. */
export interface RightsFacts {
  registryId: string
  did: string
  block: number
  issuerSchemas: string[]
  verifierSchemas: string[]
  /** Whether it had any right in the block before. */
  wasListed: boolean
}

export async function registriesAtBlocks(
  reader: Reader,
  wanted: readonly { id: string; block: number }[],
): Promise<RegistryFacts[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql<RegistryFacts>`
    select w.id, w.block, r.convener, r.name
    from (select distinct * from unnest(${wanted.map(({ id }) => id)}::text[],
      ${wanted.map(({ block }) => block)}::int[]) as w (id, block)) w
    cross join lateral (select n.convener, n.name from ledger.trust_registry n
      where n.registry_id = w.id and n.from_block <= w.block order by n.from_block desc limit 1) r`.execute(reader)
  return rows
}

export async function rightsAtBlocks(
  reader: Reader,
  wanted: readonly Pick<RightsFacts, 'registryId' | 'did' | 'block'>[],
): Promise<RightsFacts[]> {
  if (wanted.length === 0) return []
  const place = (alias: 'i' | 'v') =>
    sql`${sql.ref(`${alias}.registry_id`)} = w.registry_id and ${sql.ref(`${alias}.did`)} = w.did`
  const [at, before] = [sql<number>`w.block`, sql<number>`(w.block - 1)`]
  const { rows } = await sql<RightsFacts>`
    select w.registry_id as "registryId", w.did, w.block,
      array(select i.schema_id from ledger.issuer i where ${place('i')} and ${validAt('i', at)} order by 1) as "issuerSchemas",
      array(select v.schema_id from ledger.verifier v where ${place('v')} and ${validAt('v', at)} order by 1) as "verifierSchemas",
      exists (select from ledger.issuer i where ${place('i')} and ${validAt('i', before)})
        or exists (select from ledger.verifier v where ${place('v')} and ${validAt('v', before)}) as "wasListed"
    from (select distinct * from unnest(${wanted.map(({ registryId }) => registryId)}::text[],
      ${wanted.map(({ did }) => did)}::text[], ${wanted.map(({ block }) => block)}::int[]) as w (registry_id, did, block)) w`.execute(
    reader,
  )
  return rows
}

/** Returns the registries that listed a DID in the block before one in which it was deactivated. */
export async function registriesListing(
  reader: Reader,
  wanted: readonly { did: string; block: number }[],
): Promise<{ registryId: string; did: string; block: number }[]> {
  if (wanted.length === 0) return []
  const before = sql<number>`(w.block - 1)`
  const { rows } = await sql<{ registryId: string; did: string; block: number }>`
    select distinct l.registry_id as "registryId", w.did, w.block
    from unnest(${wanted.map(({ did }) => did)}::text[], ${wanted.map(({ block }) => block)}::int[]) as w (did, block)
    cross join lateral (
      select i.registry_id from ledger.issuer i where i.did = w.did and ${validAt('i', before)}
      union select v.registry_id from ledger.verifier v where v.did = w.did and ${validAt('v', before)}) l
    order by 3, 1`.execute(reader)
  return rows
}
