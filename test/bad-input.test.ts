import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builders } from './support/ecosystem.js'
import { inTurn } from './support/in-turn.js'
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

type Body = [string, string | Uint8Array | undefined]

/** The bodies that clumsy and hostile clients send, and over which the code of an operation may stumble. */
const bodies: Body[] = [
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
/** One reader refuses these for all, or checks them: they have no member that an operation knows, or are too large. */
const strangeBodies: Body[] = [
  ['a number', '42'],
  ['null', 'null'],
  ['an array', '[1,2,3]'],
  ['a prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'],
  ['half of a JSON object', '{"name":'],
  ['a bare word', 'hello'],
  ['nesting of 3,000', nested(3000)],
  ['10 MB', JSON.stringify({ name: 'x'.repeat(10_000_000) })],
]

/** A thread of their own reads the bodies of these. */
const READ_APART = ['addParticipants', 'issueBatch']

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
  ['a huge number', '99999999999999999999999999'],
]
/** One router and one check read these for all. */
const strangeIdentifiers: [string, string][] = [
  ['a NUL', '%00'],
  ['broken percent-encoding', '%E0%A4%A'],
  ['broken UTF-8', '%FF%FE'],
  ['a path that climbs', '..%2F..%2Fetc%2Fpasswd'],
  ['an apostrophe', "'; drop table service.jobs; --"],
  ['2,000 characters', 'a'.repeat(2000)],
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
const stored = async (): Promise<Record<string, string>> =>
  (await database.query({ name: 'stored', text: countRows, values: [team] })).rows[0]

/** The rows as they were counted last, if nothing was accepted since. */
let counted: Record<string, string> | undefined

/** Asks, and counts that a refused request has stored nothing. */
async function askToStore(...asked: Parameters<typeof ask>): Promise<Answer> {
  const before = counted ?? (await stored())
  counted = undefined
  const answer = await ask(...asked)
  if (answer.status < 400) return answer
  expect(await stored()).toEqual(before)
  counted = before
  return answer
}

it('counts what is stored: an accepted request is seen', async () => {
  const before = await stored()
  expect((await request('POST', '/dids', {})).status).toBe(200)
  expect(Number((await stored()).dids)).toBe(Number(before.dids) + 1)
})

const named = (some: NamedOperation[]) =>
  some.map((operation, place) => [operation.operationId, operation, place] as const)

describe.each(named(writing))('%s', (_id, operation: NamedOperation, place) => {
  const isReadApart = READ_APART.includes(operation.operationId)
  const isLooked = operation.parameters?.some(({ name }) => name === 'If-Match') ?? false

  it.each(isReadApart ? unreadable : inTurn(unreadable, place, 2))(
    'refuses %s, and says so',
    async (_what, body, why) => {
      // A thread reads a large body, once the request is known to be for a registry of the caller's.
      const id = operation.operationId === 'addParticipants' ? registry : `0x${randomBytes(32).toString('hex')}`
      const answer = await ask(operation, operation.path.replace(/\{[^}]+\}/g, id), body)
      expect(answer).toMatchObject({ status: 400 })
      expect(JSON.stringify(answer.body)).toMatch(why)
    },
  )

  it.each(isLooked ? conditions : inTurn(conditions, place))(
    'does nothing under %s, which it cannot check',
    async (name, value) => {
      const path = operation.path.replace(/\{[^}]+\}/g, `0x${randomBytes(32).toString('hex')}`)
      const answer = await askToStore(operation, path, {}, { [name]: value })
      if (name === 'if-match' && isLooked) return expectRefusalOrHarmless(answer)
      expect(answer).toMatchObject({ status: 400 })
      expect(JSON.stringify(answer.body).toLowerCase()).toContain(name)
    },
  )

  it.each([...bodies, ...(isReadApart ? strangeBodies : inTurn(strangeBodies, place, 3))])(
    'answers %s without breaking, and stores nothing of what it refuses',
    async (_what, body) => {
      const id = `0x${randomBytes(32).toString('hex')}`
      expectRefusalOrHarmless(await askToStore(operation, operation.path.replace(/\{[^}]+\}/g, id), body))
    },
  )
})

describe.each(named(all.filter(({ path }) => path.includes('{'))))('%s', (_id, operation: NamedOperation, place) => {
  it.each([...identifiers, ...inTurn(strangeIdentifiers, place, 2)])(
    'answers %s in its path without breaking',
    async (_what, id) => {
      expectRefusalOrHarmless(await ask(operation, fill(operation.path, id), undefined))
    },
  )
})

const queries = [
  'limit=0',
  'limit=100000',
  'limit=x&offset=-1',
  'offset=99999999999999999999',
  'at=yesterday',
  'at=-1',
  'at=2999-01-01T00:00:00Z',
  'cursor=%00',
  '=&=&&&',
  'did=%00&schema=%FF&role=king',
]

describe.each(named(all.filter(({ method }) => method === 'GET')))('%s', (_id, operation: NamedOperation, place) => {
  const isTaken = (query: string) =>
    operation.parameters?.some((parameter) => new URLSearchParams(query).has(parameter.name)) ?? false
  const others = queries.filter((query) => !isTaken(query))
  it.each([...queries.filter(isTaken), ...inTurn(others, place)])('answers ?%s without breaking', async (query) => {
    const path = operation.path.replace(/\{[^}]+\}/g, `0x${'ab'.repeat(32)}`)
    expectRefusalOrHarmless(await request('GET', `${path}?${query}`))
  })
})
