import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'
import { type AtBlock, validAt } from '../temporal.js'

/** A DID in a registry, as columns of a statement. */
interface Place {
  registry: RawBuilder<unknown>
  did: RawBuilder<unknown>
}

/** The row `(time, height)` of the block since which a DID is suspended in a registry; none where it is not. */
export const suspensionOf = ({ registry, did }: Place, { block }: AtBlock) => sql`
  select b.time, b.height from ledger.suspension x join ledger.block b on b.height = x.from_block
  where x.registry_id = ${registry} and x.did = ${did} and ${validAt('x', block)} limit 1`

/** The row `(actor)`: the DID that suspended another one, as the last that did so in a block of this height. */
export const suspenderOf = ({ registry, did }: Place, height: RawBuilder<unknown>) => sql`
  select v.actor from ledger.event v
  where v.block = ${height} and v.trust_registry_id = ${registry} and v.subject = ${did}
    and v.name in ('TrustRegistry.IssuerSuspended', 'TrustRegistry.VerifierSuspended')
  order by v.index desc limit 1`

/** Tells in SQL whether a suspension ended after a moment, at a block or before it, by anyone's action. */
export const endedSince = (
  { registry, did }: Place,
  moment: RawBuilder<unknown>,
  { block }: AtBlock,
): RawBuilder<boolean> => sql<boolean>`exists (
  select from ledger.suspension o join ledger.block b on b.height = o.to_block
  where o.registry_id = ${registry} and o.did = ${did} and o.to_block <= ${block}::int and b.time > ${moment})`

/** Returns the time since which a DID is suspended in a registry, with or without any right there. */
export async function suspendedSince(reader: Reader, point: AtBlock, registry: Hex32, did: Did): Promise<Date | null> {
  const { rows } = await sql<{
    time: Date
  }>`${suspensionOf({ registry: sql`${registry}`, did: sql`${did}` }, point)}`.execute(reader)
  return rows[0]?.time ?? null
}
