import './did.tables.js'
import { hexIn } from '@accredit/chain/bytes'
import { parseDid } from '@accredit/chain/did'
import { type DidState, verificationMethodId } from '@accredit/chain/did-document'
import { type RawBuilder, sql } from 'kysely'
import { storedDid } from '../ledger/read/did-state.js'
import { isEndedKey, isKnownKey, newestKeyNumber, presentKeys } from '../ledger/read/dids/present-did.js'
import type { KeyKind, MadeKey } from '../ledger/write/signer-door.js'
import { anyOf } from '../platform/database/any-of.js'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import { json } from '../platform/database/tables.js'
import { invalid, notFound } from '../platform/errors.js'
import type { DidStatus, DidType, KeyRow, StoredService } from './did.tables.js'

/** A DID of the reader's team set. */
export interface OwnDid {
  did: string
  type: DidType
  status: DidStatus
  controllers: string[]
  services: StoredService[]
  openJobs: string[]
  created: Date
  updated: Date
}

const ownColumns = [
  'did',
  'type',
  'status',
  'controllers',
  'services',
  'open_jobs as openJobs',
  'created',
  'updated',
] as const
const usable: DidStatus[] = ['pending', 'active']
// Bits of RELATIONSHIPS: authentication 1, assertionMethod 2, capabilityInvocation 4.
const canAct = 1 | 4
const canAssert = 2

const own = (reader: Reader, did: string) => reader.selectFrom('dids').select(ownColumns).where('did', '=', did)

/** Returns a usable DID of the transaction's teams; undefined when it is unknown, failed, or being deleted. */
export function ownDid(reader: Reader, did: string): Promise<OwnDid | undefined> {
  return own(reader, did).where('status', 'in', usable).executeTakeFirst()
}

/** The same in any state. */
export function anyOwnDid(reader: Reader, did: string): Promise<OwnDid | undefined> {
  return own(reader, did).executeTakeFirst()
}

/**
 * Returns the same as `ownDid`, and locks it: nobody else changes the DID, its keys or its profile until the
 * transaction ends.
 */
export function lockDid(tx: Tx, did: string): Promise<OwnDid | undefined> {
  return own(tx, did).where('status', 'in', usable).forUpdate().executeTakeFirst()
}

/** Locks those of the DIDs that the transaction's teams have, in an order that is the same for all transactions. */
export async function lockDids(tx: Tx, dids: readonly string[]): Promise<void> {
  await tx.selectFrom('dids').select('did').where('did', '=', anyOf(dids)).orderBy('did').forUpdate().execute()
}

/** Tells whether the DID can be used, and keeps it from being deleted until the transaction ends. */
export async function isUsable(tx: Tx, did: string): Promise<boolean> {
  return (await own(tx, did).where('status', 'in', usable).forShare().executeTakeFirst()) !== undefined
}

export interface ActingKey {
  did: string
  /** The key's number on the ledger; 0 for a did:key. */
  keyId: number
  keyRef: string
}

/**
 * Returns the key with which a DID of the transaction's teams acts on the ledger: after a rotation the new one, whose
 * action comes first. Until the transaction ends nobody rotates or deletes it. Throws as `lacksKey` when there is none.
 */
export async function actingKey(tx: Tx, did: string): Promise<ActingKey> {
  return (
    (await actingKeyHere(tx, did)) ?? lacksKey(tx, did, 'act on the ledger', 'authentication or capabilityInvocation')
  )
}

/** Returns the same, or undefined where there is none. */
export async function actingKeyHere(tx: Tx, did: string): Promise<ActingKey | undefined> {
  // This is a statement of its own: the next one sees what was stored by a rotation that this one waited for.
  await tx.selectFrom('dids').select('did').where('did', '=', did).forShare().execute()
  const key = await newestKey(tx, did, canAct)
  return key && { did, keyId: key.keyId, keyRef: key.keyRef }
}

/** @throws 404 when the reader has no such DID, 400 when none of its keys that are here can do what was asked for */
export async function lacksKey(reader: Reader, did: string, deed: string, relationship: string): Promise<never> {
  if ((await ownDid(reader, did)) === undefined) throw notFound('DID')
  throw invalid(`None of the keys of ${did} that are here can ${deed}: that takes an Ed25519 key for ${relationship}`)
}

export interface SigningKey {
  keyId: number
  keyRef: string
  /** Lower-case hexadecimal with 0x. */
  publicKeyHex: string
  /** The id under which the DID document lists it. */
  verificationMethod: string
}

/** Returns the present key of a kind for assertions of a DID that the reader may see (the system scope sees all). */
export async function signingKey(
  reader: Reader,
  did: string,
  kind: KeyKind = 'Ed25519',
): Promise<SigningKey | undefined> {
  const key = await newestKey(reader, did, canAssert, kind)
  const parsed = parseDid(did)
  if (key === undefined || parsed === undefined) return undefined
  const { keyId, keyRef, publicKey } = key
  return { keyId, keyRef, publicKeyHex: publicKey, verificationMethod: verificationMethodId(parsed, keyId) }
}

/** Tells in SQL whether a key is the one that `signingKey` returns. */
export const isSigningKey = (reader: Reader, did: string, kind: KeyKind, keyRef: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from ${newestFor(reader, did, canAssert, kind)} k where k."keyRef" = ${keyRef})`

/**
 * Tells whether a DID would no longer be able to act, or to issue, without these keys, by what is kept here and on the
 * ledger. A key that the ledger ended does not count, even before its event was told here.
 */
export async function losesLastKey(reader: Reader, did: string, keyIds: readonly number[]): Promise<boolean> {
  const { rows } = await sql<{ isLast: boolean }>`
    select bool_or(not exists (select from did_keys k where k.did = ${did} and k.kind = 'Ed25519'
      and k.state = 'active' and k.relationships & purpose <> 0 and k.key_id <> all(${[...keyIds]}::bigint[])
      and not ${isEndedKey('k')})) as "isLast"
    from unnest(array[${canAct}, ${canAssert}]::int[]) as purpose
    where exists (select from did_keys k where k.did = ${did} and k.kind = 'Ed25519' and k.state in ('pending', 'active', 'retiring')
      and k.relationships & purpose <> 0 and k.key_id = any(${[...keyIds]}::bigint[]))`.execute(reader)
  return rows[0]?.isLast ?? false
}

/** Returns the newest key of a kind, for any purpose. */
export function newestOfKind(reader: Reader, did: string, kind: KeyKind) {
  return newest(reader, did, kind).executeTakeFirst()
}

const newestKey = (reader: Reader, did: string, relationships: number, kind: KeyKind = 'Ed25519') =>
  newestFor(reader, did, relationships, kind).executeTakeFirst()

const newestFor = (reader: Reader, did: string, relationships: number, kind: KeyKind) =>
  newest(reader, did, kind).where(sql<boolean>`k.relationships & ${relationships} <> 0`)

function newest(reader: Reader, did: string, kind: KeyKind) {
  return reader
    .selectFrom('did_keys as k')
    .innerJoin('dids as d', 'd.did', 'k.did')
    .select(['k.key_id as keyId', 'k.key_ref as keyRef', 'k.public_key as publicKey'])
    .where('k.did', '=', did)
    .where('d.status', 'in', usable)
    .where('k.kind', '=', kind)
    .where('k.state', 'in', ['pending', 'active'])
    .orderBy('k.key_id', 'desc')
    .limit(1)
}

/** Returns the state that the DID's document will show once all its actions are on the ledger. */
export async function storedDidState(
  reader: Reader,
  { did, controllers, services, created, updated }: OwnDid,
): Promise<DidState> {
  const keys = await sql<Pick<KeyRow, 'key_id' | 'kind' | 'public_key' | 'relationships'>>`
    select key_id, kind, public_key, relationships from did_keys where did = ${did} and state in ('pending', 'active')
    union all
    select l.key_id, l.kind, l.public_key, l.relationships from (${presentKeys(did)}) l
    where not exists (select from did_keys k where k.did = l.did and k.public_key = l.public_key)
    order by key_id`.execute(reader)
  return {
    did: storedDid(did),
    keys: keys.rows.map((key) => ({
      id: key.key_id,
      key: { kind: key.kind, publicKey: hexIn(key.public_key) },
      relationships: key.relationships,
    })),
    controllers: controllers.map(storedDid),
    services,
    created: created.toISOString(),
    updated: updated.toISOString(),
  }
}

interface NewKey extends MadeKey {
  keyId: number
  relationships: number
}

export interface NewDid {
  did: string
  team: TeamId
  type: DidType
  controllers: string[]
  services: StoredService[]
  keys: NewKey[]
  /** The job that creates the DID; a did:key has none. */
  jobId?: string
  now: Date
}

/** Stores a DID: as pending while a job creates it, as active at once without one. */
export function insertDid(tx: Tx, { did, team, type, controllers, services, keys, jobId, now }: NewDid): void {
  tx.defer(
    tx.insertInto('dids').values({
      did,
      team_id: team,
      type,
      status: jobId === undefined ? 'active' : 'pending',
      controllers,
      services: json(services),
      job_id: jobId ?? null,
      open_jobs: jobId === undefined ? [] : [jobId],
      created: now,
      updated: now,
    }),
  )
  insertKeys(tx, { did, team, keys, state: jobId === undefined ? 'active' : 'pending' })
}

interface KeysOfDid {
  did: string
  team: TeamId
  keys: NewKey[]
  state: 'pending' | 'active'
}

export function insertKeys(tx: Tx, { did, team, keys, state }: KeysOfDid): void {
  const rows = keys.map(({ keyId, keyRef, kind, publicKey, relationships }) => ({
    did,
    team_id: team,
    key_id: keyId,
    kind,
    public_key: publicKey,
    key_ref: keyRef,
    relationships,
    state,
  }))
  tx.defer(tx.insertInto('did_keys').values(rows))
}

/**
 * Returns the number that the ledger will give to the DID's next key: it never gives one twice. Other controllers add
 * keys too: the count goes on from the index, and adds our pending keys.
 */
export async function nextKeyId(reader: Reader, did: string): Promise<number> {
  const { rows } = await sql<{ next: number }>`
    select 1 + greatest(
      (select coalesce(max(key_id), 0) from did_keys where did = ${did} and state <> 'failed'),
      ${newestKeyNumber(did)} + (
        select count(*) from did_keys k where k.did = ${did} and k.state in ('pending', 'retiring')
          and not ${isKnownKey('k')}))::int as next`.execute(reader)
  return rows[0]?.next ?? 1
}

/** Marks the present key as one that the ledger will retire. */
export async function retireKey(tx: Tx, did: string, keyRef: string): Promise<void> {
  await tx
    .updateTable('did_keys')
    .set({ state: 'retiring' })
    .where('did', '=', did)
    .where('key_ref', '=', keyRef)
    .execute()
}
