import { randomBytes } from 'node:crypto'
import { type Did, didKey, type Hex32, hex32Of, parseDid } from '@accredit/chain'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Tx } from '../../platform/database/database.js'
import { databaseWithTeam } from '../../platform/testing/for-all-tests.js'
import { putProfile } from '../../profiles/profile.store.js'
import { insertParticipant, reviseParticipant } from '../participants/participant.store.js'

const world = databaseWithTeam()
const ourTeam = () => world().team.team

const someRegistry = () => hex32Of(randomBytes(32))

/** Returns two DIDs with different locks for the refresh of their names. */
async function someDids(): Promise<[Did, Did]> {
  const made = Array.from({ length: 8 }, () => didKey({ kind: 'Ed25519', publicKey: hex32Of(randomBytes(32)) }) ?? '')
  const { rows } = await world().scratch.db.read('system', (reader) =>
    sql<{ did: string }>`
      select distinct on (hashtext(did) % 64) did from unnest(${made}::text[]) as d (did)`.execute(reader),
  )
  const [one, other] = rows.map(({ did }) => parseDid(did))
  if (!one || !other) throw new Error('eight DIDs are locked alike')
  return [one, other]
}

const transaction = <T>(run: (tx: Tx) => Promise<T>) => world().scratch.db.transaction('system', run)

const takesPart = (tx: Tx, registry_id: Hex32, did: Did) =>
  insertParticipant(tx, {
    registry_id,
    did,
    team_id: ourTeam(),
    name: 'As it accepted',
    description: '',
    logo_url: '',
    info_url: '',
    suspended_since: null,
    created: new Date(),
    job_id: undefined,
  })

async function namesIn(registry: Hex32): Promise<string[]> {
  const { rows } = await world().scratch.db.read('system', (reader) =>
    sql<{ name: string }>`
      select name from service.display_names where registry_id = ${registry} and to_time is null`.execute(reader),
  )
  return rows.map(({ name }) => name)
}

/** A gate at which some wait until another one opens it. */
function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Tells whether a transaction waits for an advisory lock in this database. */
const someoneWaits = () =>
  world().scratch.db.read('system', async (reader) => {
    const { rows } = await sql`
      select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(reader)
    return rows.length > 0
  })

test('two transactions that name the same DIDs in opposite order both end', async () => {
  const [one, other] = await someDids()
  const registries = [someRegistry(), someRegistry()] as const
  const gates = [gate(), gate()] as const
  const naming = (own: 0 | 1, first: Did, second: Did) =>
    transaction(async (tx) => {
      await takesPart(tx, registries[own], first)
      gates[own].open()
      await gates[own === 0 ? 1 : 0].opened
      await takesPart(tx, registries[own], second)
    })
  await Promise.all([naming(0, one, other), naming(1, other, one)])
  for (const registry of registries) expect(await namesIn(registry)).toEqual(['As it accepted', 'As it accepted'])
})

test('a transaction that named a DID can wait for one that changes its display name', async () => {
  const [did] = await someDids()
  const [joined, left] = [someRegistry(), someRegistry()]
  await transaction((tx) => takesPart(tx, left, did))
  const [named, held] = [gate(), gate()]
  const moving = transaction(async (tx) => {
    await takesPart(tx, joined, did)
    named.open()
    await held.opened
    await sql`update service.participants set to_time = now() where registry_id = ${left} and to_time is null`.execute(
      tx,
    )
  })
  await named.opened
  const revising = transaction((tx) =>
    reviseParticipant(tx, left, did, { info_url: 'https://example.org' }, new Date()),
  )
  await Promise.race([revising, until(someoneWaits)])
  held.open()
  await Promise.all([moving, revising])
  expect([await namesIn(joined), await namesIn(left)]).toEqual([['As it accepted'], []])
})

test('a name that comes while its DID begins to take part is shown there', async () => {
  const [did] = await someDids()
  const registry = someRegistry()
  const [begun, done] = [gate(), gate()]
  const accepting = transaction(async (tx) => {
    await takesPart(tx, registry, did)
    begun.open()
    await done.opened
  })
  await begun.opened
  const profile = { did, team: ourTeam(), name: 'As it is called now', description: '', logo: '', now: new Date() }
  const naming = transaction((tx) => putProfile(tx, profile))
  await Promise.race([naming, until(someoneWaits)])
  done.open()
  await Promise.all([accepting, naming])
  expect(await namesIn(registry)).toEqual(['As it is called now'])
})

/** Counts how often this connection read what is due to be named. */
async function readsOfDue(tx: Tx): Promise<number> {
  const { rows } = await sql<{ reads: string }>`
    select seq_scan as reads from pg_stat_xact_user_tables where relid = 'service.names_due'::regclass`.execute(tx)
  return Number(rows[0]?.reads)
}

test('a transaction’s names are shown at once, also where a part of it was undone, and later ones again', async () => {
  const [undone, kept] = await someDids()
  const [alsoKept, later] = await someDids()
  const registry = someRegistry()
  const reads = await transaction(async (tx) => {
    const before = await readsOfDue(tx)
    await sql`savepoint attempt`.execute(tx)
    await takesPart(tx, registry, undone)
    await sql`rollback to savepoint attempt`.execute(tx)
    for (const did of [kept, alsoKept]) await takesPart(tx, registry, did)
    await sql`set constraints all immediate`.execute(tx)
    await sql`set constraints all deferred`.execute(tx)
    const after = await readsOfDue(tx)
    await takesPart(tx, registry, later)
    return after - before
  })
  expect(reads).toBe(1)
  expect(await namesIn(registry)).toHaveLength(3)
})

test.each([
  ['has given no rights yet', ''],
  ['has given no rights to its tables yet', 'grant usage on schema ledger to public'],
])('a DID takes part and gets a profile while the ledger that is there %s', async (_, grant) => {
  const owner = new pg.Client({ connectionString: world().scratch.adminUrl })
  await owner.connect()
  try {
    await owner.query(
      `create schema ledger; create table ledger.listing (registry_id text, did text, part text); ${grant}`,
    )
    const [did] = await someDids()
    const registry = someRegistry()
    await transaction((tx) => takesPart(tx, registry, did))
    expect(await namesIn(registry)).toEqual(['As it accepted'])
    const profile = { did, team: ourTeam(), name: 'As it is called now', description: '', logo: '', now: new Date() }
    await transaction((tx) => putProfile(tx, profile))
    expect(await namesIn(registry)).toEqual(['As it is called now'])
  } finally {
    await owner.query('drop schema ledger cascade')
    await owner.end()
  }
})
