import { isEvent } from '@accredit/chain'
import { randomKeys } from '@accredit/embedded-ledger'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../test/support/scratch-database'
import { untilIndexed } from '../../test/support/until-indexed'
import { Actors } from '../../test/testing/random-ledger/actors'
import {
  createActors,
  type RandomHistory,
  submitRandomBlock,
  transferAsRoot,
} from '../../test/testing/random-ledger/history'
import { LedgerWriter, type Written } from '../../test/testing/random-ledger/ledger-writer'
import { SeededRandom } from '../../test/testing/random-ledger/seeded-random'
import { handlers } from './events'
import { TestChain } from './testing/chain'
import { IndexProcess, projections } from './testing/index-process'
import { indexedState, newestState } from './testing/indexed-state'
import { storageOf } from './testing/storage'

const SEED = Number(process.env.HISTORY_SEED ?? 20_260_102)
const BLOCKS = Number(process.env.HISTORY_BLOCKS ?? 24)
const ACTIONS_OF_A_BLOCK = 10
const PEOPLE = 14
/** The tables whose rows the ledger remembers for ever, also where they began and ended in one block. */
const TOMBSTONES = ['did', 'did_key', 'trust_registry', 'revocation_registry']

let database: ScratchDatabase
let chain: TestChain
let history: RandomHistory
let indexer: IndexProcess
let client: pg.Client
const written: Written[] = []

beforeAll(async () => {
  console.log(`seed ${SEED}: ${BLOCKS} blocks`)
  const keys = randomKeys()
  database = await scratchDatabase()
  chain = await TestChain.open(database.url, keys)
  indexer = await IndexProcess.start(database.url, chain.url)
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const writer = await LedgerWriter.connect(chain.url, keys.sudo)
  history = { writer, actors: Actors.of(new SeededRandom(SEED), writer.place), now: Date.now }
  written.push(
    await createActors(
      history,
      Array.from({ length: PEOPLE }, (_, number) => `University ${number}`),
    ),
  )
})

afterAll(async () => {
  await history?.writer.close()
  await client?.end()
  await indexer?.stop()
  await chain?.close()
  await database?.drop()
})

test('the index equals the ledger’s storage after every few blocks of a random history', async () => {
  for (let number = 1; number <= BLOCKS; number += 1) {
    const block = await submitRandomBlock(history, ACTIONS_OF_A_BLOCK, 'everything')
    written.push(block)
    if (number % 10 === 0) await transferAsRoot(history).then((made) => made && written.push(made))
    const { height, hash } = written.at(-1) ?? block
    if (number % 8 !== 0) continue
    await untilIndexed(database.url, height)
    expect(await newestState(client, height), `seed ${SEED}, block ${height}`).toEqual(
      await storageOf(history.writer.api, hash),
    )
  }
})

test('the index says what the ledger stored at every block of the past', async () => {
  for (const { height, hash } of written.filter((_, position) => position % 4 === 0)) {
    const { 'Did.Nonces': _, ...stored } = await storageOf(history.writer.api, hash)
    expect(await indexedState(client, height), `seed ${SEED}, block ${height}`).toEqual(stored)
  }
})

/** Each right appears as often as there are parts of a registry that it lists somebody in. */
const PARTS = `
  SELECT r.registry_id, p.part, r.did, r.from_block, r.to_block
  FROM (
    SELECT registry_id, schema_id, did, 'issuer' AS role, from_block, to_block FROM ledger.issuer
    UNION ALL SELECT registry_id, schema_id, did, 'verifier', from_block, to_block FROM ledger.verifier
  ) r CROSS JOIN LATERAL (VALUES ('any'), (r.role), (r.schema_id), (r.role || ' ' || r.schema_id)) AS p (part)`

test('counts of the listed are right at every block: of all, and without those whose DID was deactivated', async () => {
  const { rows } = await client.query(`
    WITH parts AS (
      SELECT p.*, d.to_block AS gone FROM (${PARTS}) p LEFT JOIN ledger.did d ON d.did = p.did
    ), counted AS (
      SELECT b.height, p.registry_id, p.part, count(DISTINCT p.did)::int AS listed,
        (count(DISTINCT p.did) FILTER (WHERE p.gone IS NULL OR p.gone > b.height))::int AS active
      FROM ledger.block b JOIN parts p ON p.from_block <= b.height AND (p.to_block IS NULL OR p.to_block > b.height)
      GROUP BY b.height, p.registry_id, p.part
    ), told AS (
      SELECT b.height, p.registry_id, p.part, n.listed, n.active
      FROM ledger.block b CROSS JOIN (SELECT DISTINCT registry_id, part FROM ledger.listing_count) p
        CROSS JOIN LATERAL (
          SELECT * FROM ledger.listing_count c WHERE c.registry_id = p.registry_id AND c.part = p.part AND c.block <= b.height
          ORDER BY c.block DESC LIMIT 1) n
      WHERE n.listed <> 0)
    SELECT coalesce(c.height, t.height) AS height, coalesce(c.registry_id, t.registry_id) AS registry,
      coalesce(c.part, t.part) AS part, c.listed, c.active, t.listed AS told, t.active AS "toldActive"
    FROM counted c FULL JOIN told t ON t.height = c.height AND t.registry_id = c.registry_id AND t.part = c.part
    ORDER BY 1, 2, 3`)
  const wrong = rows.filter((row) => row.listed !== row.told || row.active !== row.toldActive)
  expect(wrong, `seed ${SEED}`).toEqual([])
  expect(rows.length).toBeGreaterThan(0)
  if (BLOCKS >= 24) expect(rows.some(({ listed, active }) => active < listed)).toBe(true)
})

test('a listing begins with the block of the oldest right, at every block', async () => {
  const { rows } = await client.query(`
    WITH held AS (
      SELECT b.height, p.registry_id, p.part, p.did, min(p.from_block) AS since
      FROM ledger.block b JOIN (${PARTS}) p ON p.from_block <= b.height AND (p.to_block IS NULL OR p.to_block > b.height)
      GROUP BY b.height, p.registry_id, p.part, p.did
    ), told AS (
      SELECT b.height, l.registry_id, l.part, l.did, l.since
      FROM ledger.block b JOIN ledger.listing l ON l.from_block <= b.height AND (l.to_block IS NULL OR l.to_block > b.height)
    )
    (SELECT 'not told' AS fault, * FROM (SELECT * FROM held EXCEPT ALL SELECT * FROM told) h)
    UNION ALL (SELECT 'told', * FROM (SELECT * FROM told EXCEPT ALL SELECT * FROM held) t)`)
  expect(rows, `seed ${SEED}`).toEqual([])
  const { rowCount } = await client.query('SELECT FROM ledger.listing WHERE since < from_block')
  expect(rowCount, 'an older right had ended').toBeGreaterThan(0)
})

/** Bytes that happen to be printable are decoded as text. */
const inHex = <Data extends { witnessUpdateInfo: string }>(data: Data): Data => ({
  ...data,
  witnessUpdateInfo: data.witnessUpdateInfo.startsWith('0x')
    ? data.witnessUpdateInfo
    : `0x${Buffer.from(data.witnessUpdateInfo).toString('hex')}`,
})

test('every update of an accumulator can be read, with what holders need, in its order', async () => {
  const told = written.flatMap(({ heights, events }) =>
    events.flatMap((event, position) =>
      isEvent(event, 'Revocation.AccumulatorUpdated') ? [{ height: heights[position] ?? 0, ...inHex(event.data) }] : [],
    ),
  )
  const { rows } = await client.query(
    `SELECT u.block AS height, u.registry_id AS "registryId", u.version, u.accumulated AS "newAccumulated", u.additions, u.removals,
       u.witness_update_info AS "witnessUpdateInfo", u.before AS "oldAccumulated"
     FROM (SELECT *, lag(accumulated, 1, (SELECT e.after->>'accumulated' FROM ledger.event e
       WHERE e.revocation_registry_id = a.registry_id AND e.name = 'Revocation.RegistryCreated')) OVER (PARTITION BY registry_id ORDER BY version) AS before
       FROM ledger.accumulator_update a) u`,
  )
  expect(told.length).toBeGreaterThan(0)
  const order = (left: { registryId: string; version: number }, right: typeof left) =>
    left.registryId === right.registryId ? left.version - right.version : left.registryId < right.registryId ? -1 : 1
  expect(rows.sort(order)).toEqual(told.sort(order))
})

test('the history was one of everything, failures included, and a rebuild from genesis gives identical projections', async () => {
  const { rows } = await client.query<{ name: string }>('SELECT DISTINCT name FROM ledger.event')
  // Those of a network have tests of their own.
  const known = handlers.map(({ name }) => name).filter((name) => !/^(Governance|Council)/.test(name))
  if (BLOCKS >= 40) expect(rows.map(({ name }) => name).sort()).toEqual(known.sort())
  expect(written.flatMap(({ events }) => events).some(({ name }) => name === 'ItemFailed')).toBe(true)
  for (const table of TOMBSTONES) {
    const { rowCount } = await client.query(`SELECT FROM ledger.${table} WHERE to_block = from_block`)
    expect(rowCount, `seed ${SEED}: ${table}`).toBeGreaterThan(0)
  }
  const second = await scratchDatabase()
  const rebuilt = await IndexProcess.start(second.url, chain.url)
  try {
    expect(await projections(second.url)).toEqual(await projections(database.url))
  } finally {
    await rebuilt.stop()
    await second.drop()
  }
})
