import { hexOf } from '@accredit/chain'
import { batchLoader } from '@accredit/process/batch-loader'
import type { FastifyBaseLogger } from 'fastify'
import { type Selectable, sql } from 'kysely'
import { type AuditEntry, noting } from '../audit.js'
import type { Clock } from '../clock.js'
import { anyOf, type Db, type KeysTable } from '../database.js'
import { SignerError } from '../errors.js'
import type { Randomness } from '../randomness.js'
import { bytesOf, type ExportedKey, type GivenKey, type HeldKind, type MadeKey } from '../wire.js'
import type { KeyPair } from './bls-pairs.js'
import { type Curves, signerOf } from './curves.js'
import type { Vault } from './data-keys.js'

/** Signs with one key; the private half stays inside. */
export type SignBytes = (bytes: Uint8Array) => Buffer

export interface Keys {
  /**
   * Makes keys. The requests of one `share` take turns with those of others; without it each request is one of its own.
   */
  make(handle: string, kinds: HeldKind[], share?: string): Promise<MadeKey<HeldKind>[]>
  import(handle: string, keys: GivenKey[], share?: string): Promise<MadeKey<HeldKind>[]>
  /** @throws keys_lost, where the handle has no keys */
  bind(handle: string): Promise<number>
  /** From now on these keys only check what they made. */
  retire(keyRefs: string[]): Promise<number>
  destroy(keyRefs: string[]): Promise<number>
  /** Returns the keys in the order in which they were asked for, without those that are gone. */
  export(keyRefs: string[]): Promise<ExportedKey[]>
  /**
   * Returns signing functions of the keys that sign bytes among the references; others, and keys that do not open, are
   * absent.
   */
  signing(keyRefs: string[]): Promise<Map<string, SignBytes>>
  /**
   * Lets `use` have the private half of a key.
   * @throws key_not_found, where there is none or it does not open; key_retired, where it only checks
   */
  using<Result>(
    keyRef: string,
    purpose: 'sign' | 'check',
    use: (kind: HeldKind, secret: Uint8Array) => Promise<Result>,
  ): Promise<Result>
  /** Deletes the keys of requests that came to nothing: unbound for 24 hours. */
  sweep(): Promise<number>
}

export interface KeysNeeds {
  db: Db
  /**
   * The database for new keys and their binding, which does not wait for the disk. A crash of Postgres may take keys
   * that were answered: `bind` tells, before anybody counts on them, and the audit's entry about it puts all of it on
   * the disk.
   */
  unsynced: Db
  vault: Vault
  curves: Curves
  random: Randomness
  clock: Clock
  log: FastifyBaseLogger
}

/** A BBS key pair takes the worker a millisecond, and a group waits for all of its own. */
export const keysAtOnce = 32

const handlesAtOnce = 500

const orphanAgeMs = 24 * 3_600_000
type KeyRow = Selectable<KeysTable>

interface KeysRequest {
  handle: string
  kinds: HeldKind[]
  share: string | undefined
  /** The given keys; without them new ones are made. */
  pairs?: KeyPair[]
}

const entryOf = (operation: string, handle: string): AuditEntry => ({
  capability: 'keys',
  operation,
  subjects: [handle],
  outcome: 'done',
})

export function openKeys(needs: KeysNeeds): Keys {
  const { db, vault, clock, log } = needs

  const living = (keyRefs: string[]) =>
    db.selectFrom('keys').selectAll().where('key_ref', '=', anyOf(keyRefs)).where('sealed', 'is not', null).execute()

  const signingOnes = async (keyRefs: string[]) =>
    (await living(keyRefs)).filter(({ retired_at }) => retired_at === null)

  const open = (row: KeyRow) =>
    row.sealed === null
      ? undefined
      : vault.open({ sealed: row.sealed, dataKeyId: row.data_key_id }, contextOf(row.key_ref, row.kind, row.public_key))

  /** One damaged row must not stop the others that are asked for with it. */
  const openOrReport = (row: KeyRow) => {
    try {
      return open(row)
    } catch (error) {
      log.error({ err: error, keyRef: row.key_ref }, 'A sealed key does not open.')
      return undefined
    }
  }

  const make = batchLoader((requests: KeysRequest[]) => makeAll(needs, requests), {
    most: keysAtOnce,
    shareOf: ({ share, handle }) => share ?? handle,
  })
  const bind = batchLoader(
    async (handles: string[]): Promise<(number | Error)[]> => {
      const entries = handles.map((handle) => entryOf('bindKeys', handle))
      const { rows: bound } = await sql<{ handle: string }>`
        with bound as (
          update signer.keys set is_bound = true where handle = ${anyOf(handles)} returning handle),
        ${noting(entries, new Date(clock()), sql`subject in (select handle from bound)`)}
        select handle from bound`.execute(db)
      return handles.map((handle) => bound.filter((row) => row.handle === handle).length || keysLost())
    },
    { most: handlesAtOnce },
  )

  return {
    make: (handle, kinds, share) => make({ handle, kinds, share }),
    async import(handle, given, share) {
      const pairOf = ({ kind, privateKey }: GivenKey) => needs.curves.pairOf(kind, bytesOf(privateKey))
      const pairs = await Promise.all(given.map(pairOf))
      return make({ handle, kinds: given.map(({ kind }) => kind), share, pairs })
    },
    bind,
    async retire(keyRefs) {
      const result = await db
        .updateTable('keys')
        .set({ retired_at: new Date(clock()) })
        .where('key_ref', '=', anyOf(keyRefs))
        .where('retired_at', 'is', null)
        .executeTakeFirst()
      return Number(result.numUpdatedRows)
    },
    async destroy(keyRefs) {
      const result = await db
        .updateTable('keys')
        .set({ sealed: null, destroyed_at: new Date(clock()) })
        .where('key_ref', '=', anyOf(keyRefs))
        .where('sealed', 'is not', null)
        .executeTakeFirst()
      return Number(result.numUpdatedRows)
    },
    async export(keyRefs) {
      const rows = new Map((await signingOnes(keyRefs)).map((row) => [row.key_ref, row]))
      const asked = keyRefs.flatMap((keyRef) => rows.get(keyRef) ?? [])
      return asked.map((row) => ({ ...made(row), privateKey: hexOf(open(row) ?? Buffer.alloc(0)) }))
    },
    async signing(keyRefs) {
      const signers = new Map<string, SignBytes>()
      if (keyRefs.length === 0) return signers
      for (const row of await signingOnes(keyRefs)) {
        const signer = signerOf(row.kind)
        const secret = signer === undefined ? undefined : openOrReport(row)
        if (signer === undefined) signers.set(row.key_ref, () => refuseToSign(row.kind))
        else if (secret !== undefined) signers.set(row.key_ref, signer(secret))
      }
      return signers
    },
    async using(keyRef, purpose, use) {
      const [row] = await living([keyRef])
      if (purpose === 'sign' && row !== undefined && row.retired_at !== null)
        throw new SignerError(422, 'key_retired', 'This key only checks what it made.')
      const secret = row && openOrReport(row)
      if (row === undefined || secret === undefined)
        throw new SignerError(422, 'key_not_found', 'There is no such key, or it is damaged.')
      return use(row.kind, secret)
    },
    async sweep() {
      const before = new Date(clock() - orphanAgeMs)
      const unused = db.deleteFrom('keys').where('is_bound', '=', false).where('created_at', '<', before)
      return Number((await unused.executeTakeFirst()).numDeletedRows)
    },
  }
}

/** The keys never existed, were deleted, or a crash of the database took them before they were on its disk. */
function keysLost(): SignerError {
  return new SignerError(409, 'keys_lost', 'This handle has no keys: make them again.')
}

function refuseToSign(kind: HeldKind): never {
  throw new SignerError(422, 'KeyCannotSign', `A key of kind ${kind} cannot sign.`)
}

/** Makes new keys for the handles that have none, with one insert for all of them. */
async function makeAll(needs: KeysNeeds, requests: KeysRequest[]): Promise<(MadeKey<HeldKind>[] | Error)[]> {
  const first = [...new Map(requests.map((request) => [request.handle, request])).values()]
  const made = await newRowsOf(needs, first)
  const answers = await storeNew(needs, [...made.values()].flat(), requests, made)
  if (answers !== undefined) return answers
  const known = await rowsOf(needs.db, [...made.keys()])
  const missing = [...made].filter(([handle]) => !known.has(handle))
  const rows = missing.flatMap(([, own]) => own)
  const later = await storeNew(needs, rows, requests, new Map([...missing, ...known]))
  if (later === undefined) throw new Error('The keys were not stored: somebody else has their handles now.')
  return later
}

async function newRowsOf(needs: KeysNeeds, requests: KeysRequest[]): Promise<Map<string, KeyRow[]>> {
  return new Map(
    await Promise.all(requests.map(async (request) => [request.handle, await newRows(needs, request)] as const)),
  )
}

/**
 * Stores the keys, with the audit of the requests that they answer, when none of their handles has any.
 * @returns the answers; undefined where nothing was stored
 */
async function storeNew(
  { unsynced, clock }: KeysNeeds,
  rows: KeyRow[],
  requests: KeysRequest[],
  keys: Map<string, KeyRow[]>,
): Promise<(MadeKey<HeldKind>[] | Error)[] | undefined> {
  const answers = requests.map((request) => sameKeys(keys.get(request.handle) ?? [], request))
  const entries = requests.flatMap(({ handle, pairs }, index) =>
    answers[index] instanceof Error ? [] : [entryOf(pairs === undefined ? 'makeKeys' : 'importKeys', handle)],
  )
  const column = <Name extends keyof KeyRow>(name: Name): KeyRow[Name][] => rows.map((row) => row[name])
  const { rows: stored } = await sql`
    with stored as (
      insert into signer.keys (key_ref, handle, position, kind, public_key, sealed, data_key_id, created_at)
      select * from unnest(${column('key_ref')}::text[], ${column('handle')}::text[], ${column('position')}::int[],
        ${column('kind')}::text[], ${column('public_key')}::bytea[], ${column('sealed')}::bytea[],
        ${column('data_key_id')}::text[], ${column('created_at')}::timestamptz[])
      where not exists (select from signer.keys where handle = ${anyOf(column('handle'))})
      returning key_ref),
    ${noting(entries, new Date(clock()), sql`(select count(*) from stored) = ${rows.length}::int`)}
    select key_ref from stored`.execute(unsynced)
  return stored.length === rows.length ? answers : undefined
}

async function rowsOf(db: Db, handles: string[]): Promise<Map<string, KeyRow[]>> {
  const rows = await db
    .selectFrom('keys')
    .selectAll()
    .where('handle', '=', anyOf(handles))
    .orderBy('position')
    .execute()
  const byHandle = new Map<string, KeyRow[]>()
  for (const row of rows) byHandle.set(row.handle, [...(byHandle.get(row.handle) ?? []), row])
  return byHandle
}

function newRows(
  { vault, curves, random, clock }: KeysNeeds,
  { handle, kinds, pairs }: KeysRequest,
): Promise<KeyRow[]> {
  return Promise.all(
    kinds.map(async (kind, position) => {
      const { secret, publicKey } = pairs?.[position] ?? (await curves.make(kind))
      const keyRef = `k_${Buffer.from(random(16)).toString('hex')}`
      const { sealed, dataKeyId } = vault.seal(secret, contextOf(keyRef, kind, publicKey))
      return {
        key_ref: keyRef,
        handle,
        position,
        kind,
        public_key: Buffer.from(publicKey),
        sealed,
        data_key_id: dataKeyId,
        is_bound: false,
        created_at: new Date(clock()),
        retired_at: null,
        destroyed_at: null,
      }
    }),
  )
}

function sameKeys(rows: KeyRow[], { kinds, pairs }: KeysRequest): MadeKey<HeldKind>[] | Error {
  const isOther = (row: KeyRow, index: number) => {
    const pair = pairs?.[index]
    return row.kind !== kinds[index] || (pair !== undefined && !row.public_key.equals(pair.publicKey))
  }
  if (rows.length !== kinds.length || rows.some(isOther)) {
    return new SignerError(409, 'handle_taken', 'This handle has other keys.')
  }
  if (rows.some((row) => row.sealed === null)) {
    return new SignerError(409, 'keys_destroyed', 'The keys of this handle were destroyed.')
  }
  return rows.map(made)
}

function made(row: KeyRow): MadeKey<HeldKind> {
  return { keyRef: row.key_ref, kind: row.kind, publicKey: hexOf(row.public_key) }
}

function contextOf(keyRef: string, kind: HeldKind, publicKey: Uint8Array): string {
  return `key ${keyRef} ${kind} ${hexOf(publicKey)}`
}
