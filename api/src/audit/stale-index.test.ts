import { describe, expect, test } from 'vitest'
import { MAX_LAG_MS } from '../ledger/testing/test-index.js'
import type { Described } from '../platform/http/operation.js'
import { allServed } from '../platform/testing/all-served.js'
import { QUERIES, QUERY_NAMES } from './query-ledger.js'
import { auditWorld, id, issuer, LAST, list, registry, schema } from './testing.js'

const world = auditWorld(allServed)

/** The time of the first block; each other one is a second later. */
const START = '2026-01-01T00:00:00Z'
const POINTS = ['at', 'to', 'versionTime']
/** These select rows of this service by their own times, and ask the ledger nothing. */
const OF_THE_SERVICE = ['listTeamAudit']
const namesOf = ({ querystring }: Described): string[] =>
  Object.keys(Reflect.get(querystring ?? {}, 'properties') ?? {})
const served = allServed.flatMap(({ operations, described = [] }) => [...operations, ...described])
const reads = served.filter(({ method, operationId }) => method === 'GET' && !OF_THE_SERVICE.includes(operationId))
/** Every read whose question has a point in time in its address. */
const asked = reads.filter((operation) => namesOf(operation).some((name) => POINTS.includes(name)))
const pointOf = (operation: Described): string => (namesOf(operation).includes('at') ? 'at' : 'to')

const VALUES: Record<string, string> = {
  registryId: registry,
  slug: registry,
  did: issuer,
  issuerDID: issuer,
  id: list,
  regId: list,
  revId: id(4),
  keyNumber: '1',
  index: '4',
  schemaId: schema,
  schema,
  ids: schema,
  role: 'issuer',
  participantId: '00000000-0000-4000-8000-000000000001',
  from: '2',
}
const meant = (name: string): string => {
  const value = VALUES[name]
  if (value === undefined) throw new Error(`tell this test what ${name} may be`)
  return value
}

/** The address of a question with what it needs; the present is meant where `more` names no point. */
function addressOf(operation: Described, more: Record<string, string> = {}): string {
  const { required = [] }: { required?: readonly string[] } = operation.querystring ?? {}
  const needed = Object.fromEntries(required.filter((name) => name in VALUES).map((name) => [name, meant(name)]))
  const path = operation.url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(meant(name)))
  return `${path}?${new URLSearchParams({ ...needed, ...more })}`
}

/** Asks at a point, or about the present. */
type Ask = (point?: string) => ReturnType<typeof world.get>

const HEADERS = { accept: 'application/json, text/html' }
const got =
  (operation: Described): Ask =>
  (point) =>
    world.get(addressOf(operation, point === undefined ? {} : { [pointOf(operation)]: point }), {
      ...HEADERS,
      'svc-api-token': world.apiKey,
    })

interface Posted {
  name: string
  url: string
  body: object
}
const aboutLedger: Posted[] = QUERY_NAMES.map((name) => {
  const parts = { did: issuer, registryId: registry, filter: { schemaIds: { AnyOf: [schema] } } }
  const body = Object.fromEntries(QUERIES[name].needs.map((need) => [need, parts[need]]))
  return { name: `queryLedger ${name}`, url: `/ledger/queries/${name}`, body }
})
const protocol = { entity_id: issuer, authority_id: registry, resource: schema }
/** Questions by POST, by their operation. */
const BODIES: Readonly<Record<string, readonly Posted[]>> = {
  queryTrustRegistries: [{ name: 'queryTrustRegistries', url: '/trust-registries/query', body: { issuerDID: issuer } }],
  queryLedger: aboutLedger,
  queryAuthorization: [
    { name: 'queryAuthorization', url: '/trqp/authorization', body: { ...protocol, action: 'issue' } },
  ],
  queryRecognition: [
    { name: 'queryRecognition', url: '/trqp/recognition', body: { ...protocol, action: 'recognize' } },
  ],
}

const membersOf = (shape: object | undefined): object => Reflect.get(shape ?? {}, 'properties') ?? {}
const hasMember = (shape: object | undefined, name: string): boolean => name in membersOf(shape)
const contextOf = ({ body }: Described): object | undefined => Reflect.get(membersOf(body), 'context')
/**
 * Every operation whose question has a point in time in its body. The body of verifyCredential is any document: it
 * answers with checks that are `unavailable`, as its own tests show, and so do those that stand on it.
 */
const posted = served.filter(
  (operation) =>
    operation.method === 'POST' && (hasMember(operation.body, 'at') || hasMember(contextOf(operation), 'time')),
)

const send =
  ({ url, body }: Posted, isProtocol: boolean): Ask =>
  (point) => {
    // The protocol knows instants only.
    const instant = /^\d+$/.test(point ?? '') ? new Date(Date.parse(START) + Number(point) * 1000).toISOString() : point
    const asked = isProtocol ? { context: { ...(instant && { time: instant }) } } : { ...(point && { at: point }) }
    const payload = { ...body, ...asked }
    return world.app.inject({ method: 'POST', url, headers: HEADERS, payload })
  }

/** Every question with a point in time. */
const questions: [name: string, operation: Described, ask: Ask][] = [
  ...asked.map((operation): [string, Described, Ask] => [operation.operationId, operation, got(operation)]),
  ...posted.flatMap((operation) => {
    const bodies = BODIES[operation.operationId]
    if (bodies === undefined) throw new Error(`tell this test what ${operation.operationId} may be asked`)
    return bodies.map((one): [string, Described, Ask] => [
      one.name,
      operation,
      send(one, !hasMember(operation.body, 'at')),
    ])
  }),
]

/** The ways of a service to know less of the ledger than happened there. */
const STALE: Record<string, { reason: string; begin(): Promise<void> }> = {
  'an index that lags': {
    reason: 'The index lags behind the ledger',
    begin: () => world.ledger.finality({ height: LAST + 1, behindMsAgo: MAX_LAG_MS + 1 }),
  },
  'a network whose newest final block is old': {
    reason: 'The newest final block of the ledger is 127 seconds old',
    async begin() {
      world.clock.set(LAST + 127)
      await world.ledger.finality({ height: LAST, rule: 'grandpa' })
    },
  },
}

describe.each(Object.entries(STALE))('%s', (_, { reason, begin }) => {
  test.each(questions)('makes no old answer of %s look new', async (name, operation, ask) => {
    await begin()
    for (const point of [undefined, String(LAST), world.clock.now().toISOString()]) {
      const { statusCode, headers, body } = await ask(point)
      const told = `${name} at ${point}: ${statusCode} ${body.slice(0, 300)}`
      if (operation.mayBeStale) expect([statusCode, headers['accredit-stale']], told).toEqual([200, reason])
      else {
        expect(statusCode, told).toBe(503)
        expect(body, told).toMatch(
          new RegExp(`"ledger_unavailable","message":"${reason}|The ledger cannot be asked now`),
        )
      }
    }
  })

  test.each(questions)(
    'is no reason to refuse, or to doubt, the past that %s tells',
    async (_name, _operation, ask) => {
      await begin()
      const { headers, body } = await ask('9')
      expect(headers['accredit-block'], body.slice(0, 300)).toBe('9')
      expect(headers['accredit-stale']).toBeUndefined()
      expect(body).not.toContain(reason)
    },
  )
})

test('questions by POST are among those that are asked here', () => {
  expect(posted.map(({ operationId }) => operationId).sort()).toEqual([
    'queryAuthorization',
    'queryLedger',
    'queryRecognition',
    'queryTrustRegistries',
  ])
})

test('an answer of a followed ledger says nothing of being old', async () => {
  world.clock.set(LAST + 1)
  await world.ledger.finality({ height: LAST })
  const lists = asked.filter(({ mayBeStale }) => mayBeStale)
  expect(lists.map(({ operationId }) => operationId).sort()).toEqual([
    'listDidHistory',
    'listLedgerEvents',
    'listRegistryHistory',
    'listTrustRegistryHistory',
  ])
  for (const operation of lists) {
    const { statusCode, headers } = await got(operation)()
    expect([operation.operationId, statusCode, headers['accredit-stale']]).toEqual([
      operation.operationId,
      200,
      undefined,
    ])
  }
})

test('a whole list that is streamed says it too', async () => {
  await STALE['an index that lags']?.begin()
  for (const accept of ['application/x-ndjson', 'text/csv']) {
    const { headers } = await world.get(`/trust-registries/${registry}/history`, { accept })
    expect([headers['content-type'], headers['accredit-stale']]).toEqual([
      expect.stringContaining(accept),
      'The index lags behind the ledger',
    ])
  }
})
