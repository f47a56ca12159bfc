import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { At } from '../at.js'
import { presentHeight } from '../blocks.js'
import type { IndexReader } from '../index-db.js'
import { validAt } from '../temporal.js'

type Index = { db: IndexReader }

/** Tells whether the ledger has, or ever had, a registry. */
export async function wasRegistry({ db }: Index, id: Hex32): Promise<boolean> {
  const { rows } = await sql`
    select from ledger.trust_registry r where r.registry_id = ${id} and r.from_block <= ${presentHeight} limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** Returns the convener of a registry now; undefined where there is no such registry. */
export async function presentConvener({ db }: Index, id: Hex32): Promise<string | undefined> {
  const { rows } = await sql<{ convener: string }>`
    select r.convener from ledger.trust_registry r
    where r.registry_id = ${id} and ${validAt('r', presentHeight)}`.execute(db)
  return rows[0]?.convener
}

/** Returns the registries that a DID convened at a block, in the order of their ids; with `only`, that one alone. */
export async function registriesConvenedBy(
  { db }: Index,
  convener: Did,
  { at: { block }, first, only }: { at: Pick<At, 'block'>; first: number; only?: Hex32 },
): Promise<Hex32[]> {
  const { rows } = await sql<{ id: Hex32 }>`
    select r.registry_id as id from ledger.trust_registry r
    where r.convener = ${convener} and ${validAt('r', block)}
      ${only === undefined ? sql`` : sql`and r.registry_id = ${only}`}
    order by r.registry_id limit ${first}`.execute(db)
  return rows.map(({ id }) => id)
}
