import { didSvc, hex32Of } from '@accredit/chain'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../config.js'
import { systemClock } from '../../platform/process/clock.js'
import { type ScratchDatabase, silentLog } from '../../platform/testing/scratch-database.js'
import { indexedDatabase, type TestIndex, testIndex } from '../testing/test-index.js'
import { resolveAt } from './at.js'
import { authorizationAt, type LedgerRole } from './authorization.js'
import { wholeHistory } from './history/history.js'
import type { HistoryFilter } from './history/history-filter.js'
import { type IndexDb, openIndex } from './index-db.js'
import { registryIds } from './queries.js'
import { listParticipants, registryFactsAt } from './registries/registry-listings.js'

const PARTICIPANTS = 5_000
const EVENTS = 40_000
const LAST = 4_000
/** A block lists many at once, as those of a bulk do. */
const DENSE = { block: LAST - 10, events: 6_000 }
const NEWCOMER = PARTICIPANTS + 5
const OPENED = hex32Of(new Uint8Array(32).fill(9))
/** The most rows of tables and entries of indexes: a page of a stream has 1,000. */
const MOST_READ = 3_000

const clock = { now: () => new Date('2026-01-02T00:00:00Z') }
const didOf = (n: number) =>
  didSvc(hex32Of(Uint8Array.from({ length: 32 }, (_, i) => (i < 2 ? (n >> (8 * i)) & 255 : 7))))
const dids = Array.from({ length: PARTICIPANTS }, (_, n) => didOf(n))
const registry = hex32Of(new Uint8Array(32).fill(0xfa))
const schemaOf = (n: number) => hex32Of(new Uint8Array(32).fill((n % 5) + 1, 31))

let scratch: ScratchDatabase
let ledger: TestIndex
let admin: pg.Client

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(LAST, { start: new Date('2026-01-01T00:00:00Z') })
  await ledger.large(dids, EVENTS)
  admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  await withoutAutovacuum()
  await listMany()
})

/** Statistics stay those of the end of `listMany`: other samples in the middle of the tests could mean other plans. */
async function withoutAutovacuum(): Promise<void> {
  await admin.query(`do $$ declare held regclass; begin
    for held in select oid from pg_class where relnamespace = 'ledger'::regnamespace and relkind = 'r' loop
      execute format('alter table %s set (autovacuum_enabled = off)', held);
    end loop;
  end $$`)
}

/** One issuer is listed in one block among events of others; the planner knows how many there are. */
async function listMany(): Promise<void> {
  await admin.query(
    `insert into ledger.event (id, block, index, time, name, actor, trust_registry_id, schema_id, subject, before, after)
     select $1::int || '-' || i, $1::int, i, now(), 'TrustRegistry.IssuerChanged', $3, $4, $5, case i when 77 then $6 else 'did:key:' || i end, null, '{"prices":{}}'
     from generate_series(0, $2::int - 1) i`,
    [DENSE.block, DENSE.events, didOf(0), registry, OPENED, didOf(NEWCOMER)],
  )
  await ledger.row('issuer', {
    registry_id: registry,
    schema_id: OPENED,
    did: didOf(NEWCOMER),
    prices: {},
    from_block: DENSE.block,
    to_block: null,
  })
  await ledger.row('registry_schema', {
    registry_id: registry,
    schema_id: OPENED,
    is_public: true,
    from_block: DENSE.block,
    to_block: null,
  })
  await admin.query('analyze')
}

afterAll(async () => {
  await admin?.end()
  await ledger?.close()
  await scratch?.close()
})

const authorization =
  (n: number, role: LedgerRole, block: number, schema = schemaOf(n)) =>
  (index: IndexDb) =>
    authorizationAt(index, {
      registryId: registry,
      schemaId: schema,
      did: didOf(n),
      role,
      at: { block, time: new Date() },
    })

/** Postgres keeps a plan without values after five executions. */
const often = (question: (index: IndexDb) => Promise<unknown>) => async (index: IndexDb) => {
  for (let time = 1; time < 8; time++) await question(index)
  return question(index)
}

/** A page in the middle of a registry. */
const participants = (only: Parameters<typeof listParticipants>[2]) => (index: IndexDb) =>
  listParticipants(index, registry, only, { at: { block: LAST }, after: didOf(40), first: 50 })

/** A thousand events, as a stream reads them. */
const events =
  (filter: HistoryFilter, order: 'asc' | 'desc' = 'desc') =>
  ({ db }: IndexDb) =>
    wholeHistory({ db }, filter, { at: { block: LAST - 1 }, order }).next()

const QUESTIONS: Record<string, (index: IndexDb) => Promise<unknown>> = {
  'the head': (index) => index.head(),
  'a block': (index) => resolveAt(index, '2000', clock),
  'an instant': (index) => resolveAt(index, '2026-01-01T00:03:00Z', clock),
  'an issuer now': authorization(17, 'issuer', LAST),
  'an issuer in the past': authorization(11, 'issuer', 60),
  'an issuer that was listed with many': often(authorization(NEWCOMER, 'issuer', LAST, OPENED)),
  'a verifier of a schema that was opened with many': often(authorization(3, 'verifier', LAST, OPENED)),
  'a suspended issuer': authorization(20, 'issuer', 300),
  'a delegate': authorization(16, 'issuer', LAST),
  'a verifier': authorization(8, 'verifier', 250),
  nobody: authorization(9, 'verifier', 250),
  'the facts of a registry': (index) => registryFactsAt(index, registry, { block: 200 }),
  'a page of participants': participants({}),
  'a page of verifiers': participants({ role: 'verifier' }),
  'a page of who is issuer of a schema': participants({ role: 'issuer', schemaId: schemaOf(3) }),
  'everything, newest first': events({}),
  'everything, oldest first': events({}, 'asc'),
  'the history of a registry': events({ trustRegistryId: registry }),
  'the history of a schema': events({ schemaId: schemaOf(3) }, 'asc'),
  'the history of a DID': events({ dids: [didOf(44)] }),
  'the history of one that did it all': events({ dids: [didOf(0)] }),
  'the history of a DID in a registry': events({ trustRegistryId: registry, dids: [didOf(44)] }),
  'events of a name': events({ events: ['TrustRegistry.IssuerSuspended'] }),
  'the events of a span of time': events({
    from: { instant: new Date('2026-01-01T00:10:00Z') },
    to: { instant: new Date('2026-01-01T00:50:00Z') },
  }),
  'the registries of an issuer': (index) => registryIds(index, { issuers: [didOf(12)] }, { at: { block: 300 } }),
}

/** Counts what a question read: rows by scans of whole tables, and entries of indexes. */
async function readBy(question: (index: IndexDb) => Promise<unknown>): Promise<{ whole: string[]; rows: number }> {
  const before = await backends()
  const index = openIndex(readConfig({ DATABASE_URL: scratch.tenantUrl, ACCREDIT_TEST: '1' }), systemClock, silentLog)
  await admin.query('select pg_stat_reset()')
  expect(await question(index)).toBeTruthy()
  // A connection reports its reads when it ends.
  await index.close()
  while ((await backends()) > before);
  const { rows } = await admin.query<{ relname: string; whole: string; entries: string }>(
    `select t.relname, t.seq_tup_read as whole,
       (select coalesce(sum(i.idx_tup_read), 0) from pg_stat_user_indexes i where i.relid = t.relid) as entries
     from pg_stat_user_tables t where t.schemaname = 'ledger'`,
  )
  return {
    whole: rows.filter(({ whole }) => Number(whole) > 1_000).map(({ relname }) => relname),
    rows: rows.reduce((sum, { whole, entries }) => sum + Number(whole) + Number(entries), 0),
  }
}

async function backends(): Promise<number> {
  const { rows } = await admin.query(
    `select count(*)::int as open from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  )
  return rows[0].open
}

test.each(Object.entries(QUESTIONS))('%s is found without reading what was not asked for', async (_name, question) => {
  const { whole, rows } = await readBy(question)
  expect(whole).toEqual([])
  expect(rows).toBeLessThan(MOST_READ)
  expect(rows).toBeGreaterThan(0)
})
