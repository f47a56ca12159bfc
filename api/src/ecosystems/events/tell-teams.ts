import { sql } from 'kysely'
import type { IndexedEvent } from '../../ledger/read/history/events-after.js'
import { registriesAtBlocks, registriesListing, rightsAtBlocks } from '../../ledger/read/registries/changed-facts.js'
import type { LedgerEffect } from '../../ledger/write/ledger-events.js'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { wantedEvents } from '../../platform/database/wanted-events.js'
import { LEDGER_TOLD } from './ecosystem.events.js'
import { DEACTIVATED, type Facts, isOfRights, TOLD_EVENTS, toldChanges } from './told-change.js'

/**
 * Tells the teams of a registry's convener, and of those that a change is about, of what the ledger says: also of what
 * a convener with its own key did without this service. Nothing is made that no web hook wants.
 */
export const tellTeams: LedgerEffect = {
  events: TOLD_EVENTS,
  async apply(tx, events) {
    const wanted = await wantedEvents(tx, LEDGER_TOLD)
    if (wanted.size === 0) return
    const changes = toldChanges(events, await factsOf(tx, events))
    const holders = await holdersAmong(
      tx,
      [...wanted.keys()],
      [...new Set(changes.flatMap((change) => change.concerns))],
    )
    await tx.emitAll(
      changes.flatMap(({ event, concerns, resource, data }) => {
        const teams = new Set(concerns.flatMap((did) => holders.get(did) ?? []))
        return [...teams]
          .filter((team) => wanted.get(team)?.has(event))
          .map((team) => ({ team, event, data, resource }))
      }),
    )
  },
}

async function factsOf(tx: Tx, events: readonly IndexedEvent[]): Promise<Facts> {
  const deactivated = events.flatMap(({ name, subject, block }) =>
    name === DEACTIVATED && subject !== null ? [{ did: subject, block }] : [],
  )
  const listing = await registriesListing(tx, deactivated)
  const named = events.flatMap(({ trust_registry_id: id, block }) => (id === null ? [] : [{ id, block }]))
  const registries = await registriesAtBlocks(tx, [...named, ...listing.map((row) => ({ ...row, id: row.registryId }))])
  const rights = await rightsAtBlocks(
    tx,
    events
      .filter(isOfRights)
      .flatMap(({ trust_registry_id: registryId, subject: did, block }) =>
        registryId === null || did === null ? [] : [{ registryId, did, block }],
      ),
  )
  const registryOf = new Map(registries.map((row) => [`${row.id} ${row.block}`, row]))
  const rightsOf = new Map(rights.map((row) => [`${row.registryId} ${row.did} ${row.block}`, row]))
  return {
    registry: (id, block) => registryOf.get(`${id} ${block}`),
    rights: (id, did, block) => rightsOf.get(`${id} ${did} ${block}`),
    listing: (did, block) =>
      listing.filter((row) => row.did === did && row.block === block).map(({ registryId }) => registryId),
  }
}

/** Returns the teams, among these, that hold each DID: by its keys, or by a proof of control. */
async function holdersAmong(
  reader: Reader,
  teams: readonly TeamId[],
  dids: readonly string[],
): Promise<ReadonlyMap<string, TeamId[]>> {
  const { rows } = await sql<{ did: string; team: TeamId }>`
    select h.did, t.team_id as team
    from (select team_id, array_agg(did) as dids
      from (select did, team_id from service.dids union select did, team_id from service.did_proofs) known
      where did = any(${[...dids]}::text[]) and team_id = any(${[...teams]}::bigint[]) group by team_id) t
    cross join lateral service.held_among(t.team_id, t.dids) as h (did)`.execute(reader)
  const holders = new Map<string, TeamId[]>()
  for (const { did, team } of rows) holders.set(did, [...(holders.get(did) ?? []), team])
  return holders
}
