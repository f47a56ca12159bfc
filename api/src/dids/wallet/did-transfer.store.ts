import '../did.tables.js'
import { sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'

/** Returns references of the private keys that stand for a DID now, of a DID that the reader may see. */
export async function heldKeys(reader: Reader, did: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('did_keys')
    .select('key_ref')
    .where('did', '=', did)
    .where('state', 'in', ['pending', 'active'])
    .orderBy('key_id')
    .execute()
  return rows.map((row) => row.key_ref)
}

/**
 * Tells whether any team has the DID; asked as the system, which sees all. A team that forgot a DID has it until all
 * its accepted actions are signed.
 */
export async function isHeld(reader: Reader, did: string): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select exists (
      select from dids d where d.did = ${did} and (d.status in ('pending', 'active', 'deleting') or d.open_jobs <> '{}')
    ) or exists (
      select from ledger_actions a where a.did = ${did} and a.state in ('planned', 'pending', 'accepted')) as held`.execute(
    reader,
  )
  return rows[0]?.held ?? false
}

/** Returns the keys of a DID that was forgotten or refused, which nobody destroyed yet; asked as the system. */
export async function leftKeys(reader: Reader, did: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('did_keys as k')
    .innerJoin('dids as d', 'd.did', 'k.did')
    .select('k.key_ref')
    .where('k.did', '=', did)
    .where('d.status', 'in', ['deleted', 'failed'])
    .where('k.destroyed', 'is', null)
    .execute()
  return rows.map((row) => row.key_ref)
}

/** Tells whether an accepted action of the DID is not on the ledger yet; asked as the system. */
export async function isActing(reader: Reader, did: string): Promise<boolean> {
  const row = await reader
    .selectFrom('ledger_actions')
    .select('id')
    .where('did', '=', did)
    .where('state', 'in', ['planned', 'pending', 'accepted', 'included'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Makes place for a DID that some team forgot, and for its profile; its key for MACs makes no more of them. */
export async function dropForgotten(tx: Tx, did: string, now: Date): Promise<void> {
  await sql`select service.drop_forgotten_did(${did}, ${now}::timestamptz)`.execute(tx)
}
