import '../data.tables.js'
import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Environment } from '../../platform/http/context.js'

/** Carried out in pieces: after each of them a worker may be killed, and another one goes on. */
export interface Erasure {
  id: string
  team_id: TeamId
  /** Keyed hashes of the ids of credentials and subjects. */
  marks: Buffer[]
}

export type Needs = Pick<Environment, 'db' | 'events' | 'clock' | 'deriveKey'>

export async function addCount(tx: Tx, { id }: Pick<Erasure, 'id'>, name: string, count: number): Promise<void> {
  await sql`update service.erasures
    set counts = counts || jsonb_build_object(${name}::text, coalesce((counts ->> ${name}::text)::bigint, 0) + ${count}::bigint)
    where id = ${id}`.execute(tx)
}
