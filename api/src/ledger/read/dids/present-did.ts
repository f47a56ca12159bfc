import { type RawBuilder, sql } from 'kysely'
import { newestFinalIndexed } from '../blocks.js'
import { validAt } from '../temporal.js'

/** The controllers that a DID has at the newest final block, as an array in the order of their bytes. */
export const presentControllers = (did: RawBuilder<unknown>): RawBuilder<string[]> => sql`array(
  select c.controller from ledger.did_controller c where c.did = ${did} and ${validAt('c', newestFinalIndexed)} order by c.controller collate "C")`

/** The services that a DID has at the newest final block, as a JSON array in the order of their ids. */
export const presentServices = (did: RawBuilder<unknown>): RawBuilder<unknown> => sql`coalesce((
  select jsonb_agg(jsonb_build_object('id', s.service_id, 'type', s.type, 'endpoints', s.endpoints) order by s.service_id collate "C")
  from ledger.did_service s where s.did = ${did} and ${validAt('s', newestFinalIndexed)}), '[]')`

/**
 * Rows `(did, key_id, kind, public_key, relationships)`: the keys that a DID has at the newest block, final or not, since
 * our own reads are ahead of what is final.
 */
export const presentKeys = (did: string) => sql`
  select l.did, l.key_id, l.kind, l.public_key, l.relationships from ledger.did_key l
  where l.did = ${did} and l.to_block is null`

/** Rows `(did, key_id, public_key)`: every key that any DID ever had, by the number that the ledger gave it. */
export const keyNumbers = sql`select l.did, l.key_id, l.public_key from ledger.did_key l`

/** The highest number that the ledger gave to a key of a DID; 0: none yet. */
export const newestKeyNumber = (did: string): RawBuilder<number> =>
  sql<number>`(select coalesce(max(key_id), 0) from ledger.did_key where did = ${did})`

/** Tells in SQL whether the ledger knows a key of row `alias`, in use or not. */
export const isKnownKey = (alias: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from ledger.did_key l
  where l.did = ${sql.ref(`${alias}.did`)} and l.public_key = ${sql.ref(`${alias}.public_key`)})`

/**
 * Tells in SQL whether the ledger ended the key of row `alias`, by the newest block: a key that may have ended is not
 * what a DID is left with.
 */
export const isEndedKey = (alias: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from ledger.did_key l
  where l.did = ${sql.ref(`${alias}.did`)} and l.key_id = ${sql.ref(`${alias}.key_id`)} and l.to_block is not null)`
