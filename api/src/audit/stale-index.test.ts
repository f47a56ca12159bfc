import { describe, expect, test } from 'vitest'
import { MAX_LAG_MS } from '../ledger/testing/test-index.js'
import type { Described } from '../platform/http/operation.js'
import { allServed } from '../platform/testing/all-served.js'
import { auditWorld, id, issuer, LAST, list, registry, schema } from './testing.js'

const world = auditWorld(allServed)

const POINTS = ['at', 'to', 'versionTime']
/** These select rows of this service by their own times, and ask the ledger nothing. */
const OF_THE_SERVICE = ['listTeamAudit']
const namesOf = ({ querystring }: Described): string[] =>
  Object.keys(Reflect.get(querystring ?? {}, 'properties') ?? {})
const reads = allServed
  .flatMap(({ operations, described = [] }) => [...operations, ...described])
  .filter(({ method, operationId }) => method === 'GET' && !OF_THE_SERVICE.includes(operationId))
/** Every read whose question has a point in time. */
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

const ask = (operation: Described, more?: Record<string, string>) =>
  world.get(addressOf(operation, more), { 'svc-api-token': world.apiKey, accept: 'application/json, text/html' })

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
  test.each(asked.map((operation) => [operation.operationId, operation] as const))(
    'makes no old answer of %s look new',
    async (_name, operation) => {
      await begin()
      const point = pointOf(operation)
      for (const more of [{}, { [point]: String(LAST) }, { [point]: world.clock.now().toISOString() }]) {
        const { statusCode, headers, body } = await ask(operation, more)
        const told = `${addressOf(operation, more)}: ${statusCode} ${body.slice(0, 300)}`
        if (operation.mayBeStale) expect([statusCode, headers['accredit-stale']], told).toEqual([200, reason])
        else {
          expect(statusCode, told).toBe(503)
          expect(body, told).toMatch(
            new RegExp(`"ledger_unavailable","message":"${reason}|The ledger cannot be asked now`),
          )
        }
      }
    },
  )

  test.each(asked.map((operation) => [operation.operationId, operation] as const))(
    'is no reason to refuse, or to doubt, the past that %s tells',
    async (_name, operation) => {
      await begin()
      const { headers, body } = await ask(operation, { [pointOf(operation)]: '9' })
      expect(headers['accredit-block'], body.slice(0, 300)).toBe('9')
      expect(headers['accredit-stale']).toBeUndefined()
      expect(body).not.toContain(reason)
    },
  )
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
    const { statusCode, headers } = await ask(operation)
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
