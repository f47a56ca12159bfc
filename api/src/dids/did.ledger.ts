import { sql } from 'kysely'
import { presentControllers, presentServices } from '../ledger/read/dids/present-did.js'
import type { IndexedEvent } from '../ledger/read/history/events-after.js'
import type { LedgerEffect } from '../ledger/write/ledger-events.js'
import type { Tx } from '../platform/database/database.js'
import { json } from '../platform/database/tables.js'

/**
 * Our rows follow the events of our DIDs on the ledger, also when a controller that is unknown here caused them: a key
 * that it retired must not sign here any more.
 */
const keysEnded: LedgerEffect = {
  events: ['Did.KeyRetired', 'Did.KeyRevoked'],
  async apply(tx, events) {
    await sql`update did_keys k set state = 'retired'
      from ${rowsOf(events)} where k.did = e.did and k.key_id = e."keyId" and k.state <> 'failed'`.execute(tx)
  },
}

const deactivated: LedgerEffect = {
  events: ['Did.Deactivated'],
  async apply(tx, events) {
    await sql`update dids d set status = 'deleted' from ${rowsOf(events)} where d.did = e.did`.execute(tx)
    await sql`update did_keys k set state = 'retired' from ${rowsOf(events)} where k.did = e.did`.execute(tx)
  },
}

const controllersChanged: LedgerEffect = {
  events: ['Did.ControllerAdded', 'Did.ControllerRemoved'],
  async apply(tx, events) {
    await takeControllers(tx, events)
  },
}

/**
 * Copies the controllers from the index. A DID with a pending change of ours is skipped: the end of that change does
 * it.
 */
async function takeControllers(tx: Tx, events: readonly IndexedEvent[]): Promise<void> {
  await sql`update dids d set controllers = ${presentControllers(sql.ref('d.did'))}
    from (select distinct e.did from ${rowsOf(events)}) changed where d.did = changed.did and d.open_jobs = '{}'`.execute(
    tx,
  )
}

const servicesChanged: LedgerEffect = {
  events: ['Did.ServiceSet', 'Did.ServiceRemoved'],
  async apply(tx, events) {
    await takeServices(
      tx,
      events.flatMap(({ subject }) => subject ?? []),
    )
  },
}

/**
 * Copies the services from the index. A DID with a pending change of ours is skipped: the end of that change does it.
 */
export async function takeServices(tx: Tx, dids: readonly string[]): Promise<void> {
  if (dids.length === 0) return
  await sql`update dids d set services = ${presentServices(sql.ref('d.did'))}
    where d.did = any(${[...new Set(dids)]}::text[]) and d.open_jobs = '{}'`.execute(tx)
}

function rowsOf(events: readonly IndexedEvent[]) {
  const rows = events.map(({ subject, before, after }) => ({ did: subject, ...before, ...after }))
  return sql`jsonb_to_recordset(${json(rows)}::jsonb) as e (did text, "keyId" int)`
}

export const didLedgerEffects: readonly LedgerEffect[] = [keysEnded, deactivated, controllersChanged, servicesChanged]
