import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builders } from './support/ecosystem.js'
import { peopleOf } from './support/people.js'
import { type Answer, isOfSponsors, type NamedOperation, operations, requestsWith } from './support/requests.js'
import { apiUrl, databaseUrl } from './support/shared-stack.js'
import { anotherTeam } from './support/team.js'

const all = await operations(apiUrl)
const writing = all.filter(({ method }) => method !== 'GET')
const team = 'Clumsy and hostile clients'
const apiKey = await anotherTeam(team)
const request = requestsWith(apiKey, apiUrl, (await peopleOf(databaseUrl, apiKey)).newSession)
const { jwt: sponsor } = (await request('POST', '/keys', { kind: 'sponsor' })).body
/** Asks with the kind of key that opens the operation. */
const ask = (operation: NamedOperation, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  request(operation.method, path, body, {
    ...headers,
    ...(isOfSponsors(operation) && { 'x-mobile-sponsor-key': sponsor }),
  })
const make = builders(apiUrl, apiKey)
const registry = await make.registry(await make.organisation('Clumsy'), 'Clumsy')

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** The bodies that clumsy and hostile clients send. */
const bodies: [string, string | Uint8Array | undefined][] = [
  ['half of a JSON object', '{"name":'],
  ['a bare word', 'hello'],
  ['a number', '42'],
  ['null', 'null'],
  ['an array', '[1,2,3]'],
  ['nesting of 3,000', nested(3000)],
  ['10 MB', JSON.stringify({ name: 'x'.repeat(10_000_000) })],
  ['a prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'],
  [
    'wrong types',
    JSON.stringify(
      Object.fromEntries(fieldNames().map((name, index) => [name, [7, {}, [], true, -1, 1e300][index % 6]])),
    ),
  ],
  ['empty strings', JSON.stringify(Object.fromEntries(fieldNames().map((name) => [name, ''])))],
  ['very long strings', JSON.stringify(Object.fromEntries(fieldNames().map((name) => [name, 'x'.repeat(20_000)])))],
  ['nothing at all', undefined],
]

/** The bodies that two readers would understand differently, or that nobody could return unchanged. */
const unreadable: [string, string | Uint8Array, RegExp][] = [
  [
    'a NUL in a string',
    JSON.stringify({ name: 'a\u0000b', did: '\u0000', url: '\u0000', data: '\u0000' }),
    /NUL or broken characters/,
  ],
  ['broken UTF-8', new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]), /not valid UTF-8/],
  ['a lone surrogate', '{"name":"\\ud800","did":"\\udfff"}', /NUL or broken characters/],
  ['a member that stands twice', '{"a":{"b":1,"\\u0062":2}}', /\/a\/b stands twice/],
  ['a number beyond all that a double holds', '{"a":[{"b":-1e400}]}', /number is too large/],
  ['a number that a double rounds', '{"a":[{"b":4.50000000000000000000001}]}', /\/a\/0\/b: .* would be read as 4\.5/],
]

/** The conditions of RFC 9110, section 13.1. */
const conditions: [string, string][] = [
  ['if-match', '"1"'],
  ['if-none-match', '*'],
  ['if-unmodified-since', 'Sat, 01 Jan 2000 00:00:00 GMT'],
]

function fieldNames(): string[] {
  return [
    ...[
      'type',
      'did',
      'controller',
      'keyType',
      'name',
      'description',
      'logo',
      'credential',
      'persist',
      'password',
      'algorithm',
    ],
    ...[
      'data',
      'trustRegistryId',
      'verifierDID',
      'at',
      'policy',
      'addOnly',
      'action',
      'credentialIds',
      'properties',
      '$schema',
    ],
    ...[
      'convener',
      'logoUrl',
      'ecosystemUrl',
      'governanceFramework',
      'governanceFrameworkVersion',
      'maxAge',
      'issuerSchemas',
    ],
    ...[
      'verifierSchemas',
      'token',
      'infoUrl',
      'status',
      'filter',
      'registryId',
      'query',
      'variables',
      'schema',
      'issuerDID',
    ],
  ]
}

const identifiers: [string, string][] = [
  ['an unknown DID', `did:svc:${'1'.repeat(32)}`],
  ['an unknown 32-byte id', `0x${'00'.repeat(32)}`],
  ['a NUL', '%00'],
  ['broken percent-encoding', '%E0%A4%A'],
  ['broken UTF-8', '%FF%FE'],
  ['a path that climbs', '..%2F..%2Fetc%2Fpasswd'],
  ['an apostrophe', "'; drop table service.jobs; --"],
  ['2,000 characters', 'a'.repeat(2000)],
  ['a huge number', '99999999999999999999999999'],
]

const fill = (path: string, id: string) => path.replace(/\{[^}]+\}/g, () => id)
function expectRefusalOrHarmless(answer: Answer): void {
  // An embedded ledger has no proofs, which is no fault of the service.
  if (answer.body?.type !== 'proofs_not_available')
    expect(answer.status, JSON.stringify(answer.body)?.slice(0, 300)).toBeLessThan(500)
  if (answer.status >= 400 && !isGraphql(answer) && !isResolution(answer) && !isPage(answer)) {
    expect(answer.body).toMatchObject({ status: answer.status, type: expect.any(String), message: expect.any(String) })
    expect(answer.body.message).not.toMatch(/\bat .*\.[jt]s:|node_modules|select |insert into/i)
  }
}

// Addresses that people open answer with a page.
const isPage = ({ headers }: Answer) => headers.get('content-type')?.startsWith('text/html')
// W3C DID Resolution has its own form for errors.
const isResolution = ({ body }: Answer) => typeof body?.didResolutionMetadata?.error === 'string'
const isGraphql = ({ body }: Answer) => Array.isArray(body?.errors)

let database: pg.Client
let countRows: string
beforeAll(async () => {
  database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  const { rows } = await database.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'service' and column_name = 'team_id'
      and table_name not in ('audit', 'idempotency_keys', 'outgoing_events', 'sessions') order by 1`,
  )
  const counts = rows.map(({ name }) => `(select count(*) from service.${name} t where t.team_id = team.id) as ${name}`)
  countRows = `select ${counts.join(', ')} from service.teams team where team.name = $1`
})
afterAll(async () => {
  const { status } = await request('GET', '/ready')
  expect(status).toBe(200)
  await database.end()
})

/** Counts the rows of the team in each table. */
const stored = async (): Promise<Record<string, string>> => (await database.query(countRows, [team])).rows[0]

it('counts what is stored: an accepted request is seen', async () => {
  const before = await stored()
  expect((await request('POST', '/dids', {})).status).toBe(200)
  expect(Number((await stored()).dids)).toBe(Number(before.dids) + 1)
})

describe.each(writing.map((operation) => [operation.operationId, operation] as const))(
  '%s',
  (_id, operation: NamedOperation) => {
    it.each(unreadable)('refuses %s, and says so', async (_what, body, why) => {
      // A thread reads a large body, once the request is known to be for a registry of the caller's.
      const id = operation.operationId === 'addParticipants' ? registry : `0x${randomBytes(32).toString('hex')}`
      const answer = await ask(operation, operation.path.replace(/\{[^}]+\}/g, id), body)
      expect(answer).toMatchObject({ status: 400 })
      expect(JSON.stringify(answer.body)).toMatch(why)
    })

    it.each(conditions)('does nothing under %s, which it cannot check', async (name, value) => {
      const isLooked = name === 'if-match' && operation.parameters?.some(({ name }) => name === 'If-Match')
      const before = await stored()
      const path = operation.path.replace(/\{[^}]+\}/g, `0x${randomBytes(32).toString('hex')}`)
      const answer = await ask(operation, path, {}, { [name]: value })
      if (isLooked) return expectRefusalOrHarmless(answer)
      expect(answer).toMatchObject({ status: 400 })
      expect(JSON.stringify(answer.body).toLowerCase()).toContain(name)
      expect(await stored()).toEqual(before)
    })

    it.each(bodies)('answers %s without breaking, and stores nothing of what it refuses', async (_what, body) => {
      const before = await stored()
      const id = `0x${randomBytes(32).toString('hex')}`
      const path = operation.path.replace(/\{[^}]+\}/g, id)
      const answer = await ask(operation, path, body)
      expectRefusalOrHarmless(answer)
      if (answer.status >= 400) expect(await stored()).toEqual(before)
    })
  },
)

describe.each(
  all.filter(({ path }) => path.includes('{')).map((operation) => [operation.operationId, operation] as const),
)('%s', (_id, operation: NamedOperation) => {
  it.each(identifiers)('answers %s in its path without breaking', async (_what, id) => {
    expectRefusalOrHarmless(await ask(operation, fill(operation.path, id), undefined))
  })
})

describe.each(
  all.filter(({ method }) => method === 'GET').map((operation) => [operation.operationId, operation] as const),
)('%s', (_id, operation: NamedOperation) => {
  it.each([
    ['limit=0'],
    ['limit=100000'],
    ['limit=x&offset=-1'],
    ['offset=99999999999999999999'],
    ['at=yesterday'],
    ['at=-1'],
    ['at=2999-01-01T00:00:00Z'],
    ['cursor=%00'],
    ['=&=&&&'],
    ['did=%00&schema=%FF&role=king'],
  ])('answers ?%s without breaking', async (query) => {
    const path = operation.path.replace(/\{[^}]+\}/g, `0x${'ab'.repeat(32)}`)
    expectRefusalOrHarmless(await request('GET', `${path}?${query}`))
  })
})
