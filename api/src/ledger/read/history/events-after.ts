import { sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'
import type { JsonObject } from '../../../platform/database/tables.js'
import type { FinalPoint } from '../blocks.js'

/** An event of the three pallets, as the index tells it. */
export interface IndexedEvent {
  id: string
  block: number
  index: number
  time: Date
  name: string
  actor: string
  subject: string | null
  trust_registry_id: string | null
  revocation_registry_id: string | null
  schema_id: string | null
  before: JsonObject | null
  after: JsonObject | null
}

/** The events of these names after a place, up to a block, in their order. */
export async function eventsAfter(
  reader: Reader,
  from: { block: number; event_index: number },
  final: FinalPoint,
  names: readonly string[],
  most: number,
): Promise<IndexedEvent[]> {
  const { rows } = await sql<IndexedEvent>`
    select id, block, index, time, name, actor, subject, trust_registry_id, revocation_registry_id, schema_id, before, after
    from ledger.event
    where (block, index) > (${from.block}::int, ${from.event_index}::int) and block <= ${final.height} and name = any(${names}::text[])
    order by block, index limit ${most}`.execute(reader)
  return rows
}
