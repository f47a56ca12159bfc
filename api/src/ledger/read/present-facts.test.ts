import { type Hex32, hex32Of } from '@accredit/chain'
import { didSvc } from '@accredit/chain/did'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reader } from '../../platform/database/database.js'
import type { ScratchDatabase } from '../../platform/testing/scratch-database.js'
import { toApiError } from '../../platform/to-api-error.js'
import { indexedDatabase, type TestIndex, testIndex } from '../testing/test-index.js'
import { headHeights } from './blocks.js'
import { didStateAt, keyHistory } from './did-state.js'
import { isActiveDid } from './dids/existence.js'
import { isListedNow } from './participants/participant-entries.js'
import { convenes, isConvener, isConvenerOf, lastConvenerOf, registriesLastConvenedBy } from './registries/convener.js'
import { lifeOf, versionsOf, wasRemoved } from './registries/registry-states.js'
import { registriesSignedBy } from './revocation-registries.js'

const bytes = (byte: number): Hex32 => hex32Of(new Uint8Array(32).fill(byte))
const [OLD, NEW, MEMBER] = [didSvc(bytes(3)), didSvc(bytes(4)), didSvc(bytes(5))]
const [HANDED_OVER, REMOVED, LIST, FOUNDED] = [bytes(1), bytes(2), bytes(6), bytes(7)]
/** The time of a block: there is one each second. */
const time = (block: number): Date => new Date(START.getTime() + 1_000 * block)
const START = new Date('2026-01-01T00:00:00Z')
/** The block that changes everything; the one before it is final. */
const CHANGED = 9

let scratch: ScratchDatabase
let ledger: TestIndex
beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(CHANGED, { start: START, stepMs: 1_000 })
  const [before, after] = [
    { from_block: 1, to_block: CHANGED },
    { from_block: CHANGED, to_block: null },
  ]
  const texts = { name: 'Any', gov_framework: '', pending_convener: null }
  const handedOver = { ...texts, registry_id: HANDED_OVER }
  await ledger.row('trust_registry', { ...before, ...handedOver, convener: OLD, version: 4 })
  await ledger.row('trust_registry', { ...after, ...handedOver, convener: NEW, version: 5 })
  await ledger.row('trust_registry', { ...before, ...texts, registry_id: REMOVED, convener: OLD, version: 1 })
  await ledger.row('trust_registry', { ...after, ...texts, registry_id: FOUNDED, convener: NEW, version: 1 })
  await ledger.row('did', { ...before, did: OLD, submitter: '' })
  const key = { did: OLD, key_id: 1, kind: 'Ed25519' as const, public_key: '0x', relationships: 1, end_reason: null }
  await ledger.row('did_key', { ...before, ...key })
  await ledger.row('did', { ...after, did: NEW, submitter: '' })
  const place = { registry_id: HANDED_OVER, schema_id: bytes(11) }
  await ledger.row('verifier', { ...before, ...place, did: MEMBER })
  await ledger.row('verifier', { ...after, ...place, did: NEW })
  const list = { policy: [OLD], creator: OLD, add_only: false, kind: 'StatusList' as const, length: 8, version: 1 }
  await ledger.row('revocation_registry', { ...before, registry_id: LIST, ...list })
})
afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

const read = <T>(reading: (reader: Reader) => Promise<T>): Promise<T> => scratch.db.read('system', reading)

const told = (what: RawBuilder<unknown>): Promise<unknown> =>
  read(async (reader) => {
    const { rows } = await sql<{ told: unknown }>`select ${what} as told`.execute(reader)
    return rows[0]?.told
  })

const registry = sql`${HANDED_OVER}`

async function factsNow() {
  const ofBoth = async (tell: (did: string) => Promise<unknown>) => [await tell(OLD), await tell(NEW)]
  const lifeIn = (id: Hex32) => read((reader) => lifeOf(reader, sql`${id}`))
  const registriesOf = async (did: string) => {
    const rows = registriesLastConvenedBy(sql`select ${did}::text`)
    return told(sql`(select array_agg(r.registry_id order by r.registry_id) from (${rows}) r)`)
  }
  return {
    active: await ofBoth((did) => told(isActiveDid(did))),
    conveners: await ofBoth((did) => told(isConvenerOf(sql`${did}`, registry))),
    convenes: [
      await read((reader) => convenes(reader, OLD, HANDED_OVER)),
      await read((reader) => convenes(reader, NEW, HANDED_OVER)),
    ],
    last: await told(lastConvenerOf(registry)),
    registries: await ofBoth(registriesOf),
    removed: await read((reader) => wasRemoved(reader, REMOVED)),
    // It has another row, and goes on.
    changedRemoved: await read((reader) => wasRemoved(reader, HANDED_OVER)),
    lives: [await lifeIn(FOUNDED), await lifeIn(REMOVED), await lifeIn(HANDED_OVER)],
    version: (await versionsOf(ledger.index, [HANDED_OVER])).get(HANDED_OVER),
    listed: [await told(isListedNow(registry, sql`${MEMBER}`)), await told(isListedNow(registry, sql`${NEW}`))],
    // A DID that may convene, or has to sign, at the present block or after it is not let go.
    held: await ofBoth((did) => told(isConvener(sql`${did}`))),
    signs: await told(sql`exists (select from (${registriesSignedBy(OLD)}) s)`),
  }
}

const OF_BEFORE = {
  active: [true, false],
  conveners: [true, false],
  convenes: [true, false],
  last: OLD,
  registries: [[HANDED_OVER, REMOVED], null],
  removed: false,
  changedRemoved: false,
  lives: [undefined, { created: time(1), removed: null }, { created: time(1), removed: null }],
  version: 4,
  listed: [true, false],
  held: [true, true],
  signs: true,
}
const OF_AFTER = {
  active: [false, true],
  conveners: [false, true],
  convenes: [false, true],
  last: NEW,
  registries: [[REMOVED], [HANDED_OVER, FOUNDED]],
  removed: true,
  changedRemoved: false,
  lives: [
    { created: time(CHANGED), removed: null },
    { created: time(1), removed: time(CHANGED) },
    { created: time(1), removed: null },
  ],
  version: 5,
  listed: [false, true],
  held: [false, true],
  signs: false,
}

test('a block that is not final decides nothing on a network, and all of it once it is final', async () => {
  await ledger.finality({ height: CHANGED - 1, rule: 'grandpa' })
  expect(await factsNow()).toEqual(OF_BEFORE)
  await ledger.finality({ height: CHANGED, rule: 'grandpa' })
  expect(await factsNow()).toEqual(OF_AFTER)
})

test('the newest block is the present one on a ledger whose blocks are final at once', async () => {
  await ledger.finality({ height: CHANGED - 1, rule: 'instant' })
  expect(await factsNow()).toEqual(OF_AFTER)
})

/** The index holds no block of the finalised chain. */
const onAnotherChain = () => ledger.finality({ height: CHANGED - 1, hash: `0x${'12'.repeat(32)}`, rule: 'grandpa' })

async function empty(...tables: string[]): Promise<void> {
  const admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  for (const table of tables) await admin.query(`delete from ledger.${table}`)
  await admin.end()
}

/** The indexer has written its first blocks, and not yet what is final. */
const beforeFinality = () => empty('finality')

test.each([
  ['holds no block of the finalised chain', onAnotherChain, 'No final block of the ledger is indexed yet'],
  ['does not know yet what is final', beforeFinality, 'The ledger is not indexed yet'],
])('an index that %s answers each question with 503, as its head does', async (_, begin, headSays) => {
  await begin()
  await expect(ledger.index.head()).rejects.toMatchObject({ type: 'ledger_unavailable', message: headSays })
  const questions: (() => Promise<unknown>)[] = [
    () => told(isActiveDid(OLD)),
    () => read((reader) => convenes(reader, OLD, HANDED_OVER)),
    () => told(lastConvenerOf(registry)),
    () => told(sql`(select count(*) from (${registriesLastConvenedBy(sql`select ${OLD}::text`)}) r)`),
    () => read((reader) => wasRemoved(reader, REMOVED)),
    () => read((reader) => lifeOf(reader, sql`${REMOVED}`)),
    () => versionsOf(ledger.index, [HANDED_OVER]),
    () => told(isListedNow(registry, sql`${MEMBER}`)),
    () => told(isConvener(sql`${OLD}`)),
    () => told(sql`exists (select from (${registriesSignedBy(OLD)}) s)`),
    () => read(headHeights),
    () => didStateAt(ledger.index, OLD, { block: CHANGED }),
    () => keyHistory(ledger.index, OLD, 1),
  ]
  for (const ask of questions) expect(await refusalOf(ask)).toMatchObject(NOTHING_FINAL)
})

const NOTHING_FINAL = { type: 'ledger_unavailable', message: 'No final block of the ledger is indexed yet' }

const refusalOf = (ask: () => Promise<unknown>) => ask().then((told) => ({ told }), toApiError)

test('no DID is told as unknown before the first block is indexed', async () => {
  await empty('finality', 'block', 'did')
  expect(await refusalOf(() => told(isActiveDid(OLD)))).toMatchObject(NOTHING_FINAL)
  expect(await refusalOf(() => read(headHeights))).toMatchObject(NOTHING_FINAL)
})
