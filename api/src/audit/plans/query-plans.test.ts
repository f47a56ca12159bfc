import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accumulatorVersion, isRemovedAt, removedAmong, wasValueSince } from '../../ledger/read/accumulators.js'
import { keyHistory } from '../../ledger/read/did-state.js'
import type { IndexDb } from '../../ledger/read/index-db.js'
import { setBitsAt } from '../../ledger/read/set-bits.js'
import { statusBitsAt } from '../../ledger/read/status-list.js'
import { allServed } from '../../platform/testing/all-served.js'
import { QUERIES, QUERY_NAMES } from '../query-ledger.js'
import type { ExecutedStatement } from './executed-plans.testing.js'
import { graphQuestions } from './graph-questions.testing.js'
import { nextQuestion, type Question, questionsOf, type Values } from './questions.testing.js'
import {
  ACCUMULATOR,
  BUSY,
  CONVENER,
  DELEGATE,
  FilledWorld,
  ISSUER,
  OWN,
  SCHEMA,
  STATUS_LIST,
  VERIFIER,
} from './world.testing.js'

/** The number of ledger rows that one place of a statement's plan may look at and discard. */
const MOST_IN_VAIN = 3_000

let world: FilledWorld
beforeAll(async () => {
  world = await FilledWorld.open()
})
afterAll(() => world?.close())

const POINTS = ['40000', '2026-01-01T08:20:00Z']
const FROM = ['100', '2026-01-01T01:10:00Z']
const TO = ['30000', '2026-01-01T09:40:00Z']
const NAMES = ['IssuerSuspended', 'Did.Created']

const VALUES: Values = {
  registryId: [OWN],
  slug: [OWN],
  did: [ISSUER, DELEGATE],
  'getDidMetadata.did': [CONVENER],
  schemaId: [SCHEMA],
  id: [STATUS_LIST],
  'listAccumulatorUpdates.id': [ACCUMULATOR],
  'listAccumulatorUpdates.from': [1],
  'getRevocationWitness.version': [1],
  'getRevocationWitness.index': [4],
  regId: [STATUS_LIST],
  revId: [`0x${'4'.padStart(64, '0')}`],
  at: POINTS,
  versionTime: POINTS.slice(1),
  versionId: ['0'],
  from: FROM,
  to: TO,
  event: NAMES,
  schema: [SCHEMA],
  role: ['issuer', 'verifier'],
  issuerDID: [ISSUER],
  ids: [SCHEMA],
  order: ['asc', 'desc'],
  limit: [5],
  offset: [7],
  // The question is asked after the page before.
  cursor: [],
  before: [],
  participants: [3],
  search: ['zab'],
  page: [2],
  'listDids.type': ['ledgerA'],
  'listRegistries.type': ['StatusList2021Entry'],
  includeEcosystems: ['true'],
}

/** These operations do not read the ledger, or only which block a point means: the signer makes proofs. */
const OF_THE_SERVICE = new Set([
  'explainInvitation',
  'exportData',
  'getAuthorizationProof',
  'getBatchResult',
  'getCredential',
  'getDeletion',
  'getDidKeyProof',
  'getDidProof',
  'getErasure',
  'getJob',
  'getLimits',
  'getLogo',
  'getOwnProfile',
  'getPersistedCredential',
  'getProfile',
  'getSchemaContext',
  'getSchemaDocument',
  'getStatement',
  'getStats',
  'getStatusProof',
  'getSubAccount',
  'getSubscription',
  'getTeam',
  'getTrustRegistryProof',
  'getWebhook',
  'listCredentials',
  'listErasures',
  'listExpirations',
  'listHistory',
  'listJobs',
  'listKeys',
  'listNotifications',
  'listProfiles',
  'listStatements',
  'listSubAccountKeys',
  'listSubAccountUsage',
  'listSubAccounts',
  'listSweptRows',
  'listTeamAudit',
  'listTeamInvitations',
  'listTeamMembers',
  'listTeams',
  'listTransactions',
  'listWebhookDeliveries',
  'listWebhooks',
  'openGraphiql',
  'watchJob',
])

/**
 * Operations without an answer here: nobody issued a credential that could be revoked, no signer has the keys that sign
 * lists, status lists have no witnesses, no wallet made a list.
 */
const REFUSED: Record<string, number> = {
  getRevocationStatus: 400,
  getStatusList: 404,
  getBitstringStatusList: 404,
  getStatusListToken: 404,
  getRevocationWitness: 400,
  getWalletRevocations: 404,
}

const operations = allServed
  .flatMap(({ operations: all, described = [] }) => [...all, ...described])
  .filter(({ method, operationId }) => method === 'GET' && !OF_THE_SERVICE.has(operationId))

/** Faults in the execution of statements: a whole table of the ledger was read, or much of it in vain. */
function faultsOf(executed: readonly ExecutedStatement[]): string[] {
  return executed.flatMap(({ text, nodes }) =>
    nodes.flatMap((node) => {
      // A total counts the things that it tells, and stops at its limit.
      if (/^\s*select count\(\*\)::int as total from \(select/.test(text)) return []
      if (node.Schema !== 'ledger' || node['Relation Name'] === 'finality') return []
      const inVain = (node['Rows Removed by Filter'] ?? 0) * node['Actual Loops']
      const isWhole = node['Node Type'].includes('Seq Scan')
      if (!isWhole && inVain <= MOST_IN_VAIN) return []
      const how = isWhole ? 'the whole of it' : `${inVain} rows in vain`
      return [`${node['Relation Name']} by ${node['Index Name'] ?? node['Node Type']}, ${how}: ${text}`]
    }),
  )
}

async function expectGoodPlans(question: Question, answers = 200): Promise<string> {
  const { status, body, executed } = await world.ask(question)
  expect(status, `${JSON.stringify(question)} ${body}`).toBe(answers)
  expect(body).not.toContain('"errors":')
  expect(executed.length, JSON.stringify(question)).toBeGreaterThan(0)
  expect(faultsOf(executed), JSON.stringify(question)).toEqual([])
  return body
}

async function expectGoodPlansOfPages(question: Question, answers = 200): Promise<void> {
  const next = nextQuestion(question, await expectGoodPlans(question, answers))
  if (next) await expectGoodPlans(next)
}

describe('no table of the ledger is read as a whole, and none much more than is told, by', () => {
  test.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', async (_, operation) => {
    for (const question of questionsOf(operation, { ...VALUES, participantId: [await world.participantId()] }))
      await expectGoodPlansOfPages(question, REFUSED[operation.operationId])
  })

  test('any field of the graph', async () => {
    const questions = graphQuestions({
      'Query.registry.id': [OWN],
      'Query.did.id': [ISSUER],
      'Query.revocationRegistry.id': [STATUS_LIST],
      registryId: [OWN],
      did: [ISSUER],
      creator: [ISSUER],
      schema: [SCHEMA],
      index: [4],
      at: POINTS,
      event: NAMES,
      from: FROM,
      to: TO,
      issuers: [ISSUER, DELEGATE],
      verifiers: [VERIFIER],
      issuersOrVerifiers: [VERIFIER, DELEGATE],
      schemas: [SCHEMA],
    })
    expect(questions.length).toBeGreaterThan(100)
    for (const question of questions) await expectGoodPlansOfPages(question)
  })

  test('rare events of a registry with most of the events are found without reading the others', async () => {
    const [few, none, many] = ['IssuerUnsuspended', 'IssuerSuspended', 'VerifierChanged']
    for (const names of [few, `${few},${none}`, `${none},IssuerChanged`, `${none},${many},${few}`])
      for (const order of ['asc', 'desc']) {
        const url = `/trust-registries/${BUSY}/history?event=${names}&order=${order}`
        await expectGoodPlansOfPages({ method: 'GET', url })
      }
    await expectGoodPlansOfPages({ method: 'GET', url: `/ledger/events?event=${few},${none}` })
  })

  const asked = (url: string, ...bodies: object[]) =>
    bodies.flatMap((payload) =>
      [payload, { ...payload, at: POINTS[0] }, { ...payload, at: POINTS[1] }].map(
        (at): Question => ({ method: 'POST', url, payload: at }),
      ),
    )

  const named = (...dids: string[]) => ({ AnyOf: dids })
  const FILTERS = [
    { issuers: named(ISSUER, DELEGATE) },
    { verifiers: named(VERIFIER) },
    { issuersOrVerifiers: named(VERIFIER, DELEGATE) },
    { schemaIds: named(SCHEMA) },
    {
      issuers: named(ISSUER),
      verifiers: named(VERIFIER),
      issuersOrVerifiers: named(VERIFIER),
      schemaIds: named(SCHEMA),
    },
  ]

  test.each(QUERY_NAMES)('the query %s', async (name) => {
    const bodies = FILTERS.map((filter) => {
      const all = { registryId: OWN, did: ISSUER, filter }
      return Object.fromEntries(QUERIES[name].needs.map((need) => [need, all[need]]))
    })
    for (const question of asked(`/ledger/queries/${name}`, ...bodies)) await expectGoodPlans(question)
  })

  test('the search for registries', async () => {
    const [issuerDID, verifierDID, schema] = [DELEGATE, VERIFIER, SCHEMA]
    const bodies = [{}, { issuerDID }, { verifierDID }, { schema }, { issuerDID, verifierDID, schema }]
    for (const question of asked('/trust-registries/query', ...bodies)) await expectGoodPlans(question)
    for (const question of asked('/trust-registries/query?offset=7&limit=5', ...bodies)) await expectGoodPlans(question)
  })

  test('the query protocol of trust registries', async () => {
    const about = { entity_id: ISSUER, authority_id: OWN, resource: SCHEMA }
    const questions = ['issue', 'verify', 'recognize'].flatMap((action) =>
      [about, { ...about, authority_id: CONVENER }, { ...about, context: { time: POINTS[1] } }].map((body) => ({
        ...body,
        action,
      })),
    )
    for (const path of ['authorization', 'recognition'])
      for (const payload of questions) await expectGoodPlans({ method: 'POST', url: `/trqp/${path}`, payload })
  })

  // These statements serve questions that need keys of the signer.
  const READS: Record<string, (index: IndexDb) => Promise<unknown>> = {
    'the life of a key': (index) => keyHistory(index, ISSUER, 1),
    'some status bits': (index) =>
      setBitsAt(
        index,
        [3, 4, 5].map((bit) => ({ registry_id: STATUS_LIST, index: bit })),
        { block: 40_000 },
      ),
    'a witness for the last version': (index) => removedAmong(index, ACCUMULATOR, [3, 4, 5], { block: 40_000 }),
    'a witness for an earlier version': async (index) => {
      const version = await accumulatorVersion(index, ACCUMULATOR, { version: 1, block: 40_000 })
      if (version === undefined) throw new Error('there is no such version')
      await isRemovedAt(index, ACCUMULATOR, { ...version, index: 4 })
    },
    'the age of a proven value': (index) =>
      wasValueSince(index, { registryId: ACCUMULATOR, accumulated: '0x01' }, new Date(POINTS[1] ?? ''), {
        block: 40_000,
      }),
    'the bits of a status list': (index) =>
      statusBitsAt(index, { registryId: STATUS_LIST, length: 8 }, { block: 40_000 }),
  }
  test.each(Object.entries(READS))('%s', async (_, read) => {
    const { executed } = await world.during(() => read(world.index))
    expect(executed.length).toBeGreaterThan(0)
    expect(faultsOf(executed)).toEqual([])
  })
})

/** Those that the questions above do not come to, each with the statement that needs it. */
const OTHERS: Readonly<Record<string, string>> = {
  event_call_hash_idx: 'the follower finds the dispatch of an action that its owner signed',
  issuer_began: 'a large registry is compared at two blocks between which little changed',
  verifier_began: 'likewise',
  issuer_schema_id_from_block_idx: 'the registries are found in which a schema has issuers, where it has few',
}

test('each index of the ledger is used by one of these statements, or tells what uses it', async () => {
  await expect
    .poll(async () => (await world.unusedIndexes()).filter((name) => !Object.hasOwn(OTHERS, name)))
    .toEqual([])
})
