import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V1 } from '../../formats/json-ld/contexts/known-contexts.js'
import type { TeamId } from '../../platform/database/ids.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testEnvironment,
  testTeam,
} from '../../platform/testing/scratch-database.js'
import { KEPT } from './remote-document.store.js'
import type { RemoteKind } from './remote-document.tables.js'
import { FAILURE_MS, MOST_FETCHES, REMOTE, type Remote, RemoteDocuments } from './remote-documents.js'
import { type RemoteHost, remoteHost } from './remote-host.testing.js'

let scratch: ScratchDatabase
let host: RemoteHost
let team: TestTeam
let later = 0
beforeAll(async () => {
  scratch = await serviceDatabase()
  host = await remoteHost()
  team = await testTeam(scratch.db)
})
afterAll(async () => {
  await host.close()
  await scratch.close()
})

const START = Date.parse('2026-01-01T00:00:00Z')
const clock = { now: () => new Date(START + later) }

interface Asking {
  of?: TeamId
  isIssuing?: boolean
  /** Another process has nothing in memory. */
  isAnother?: boolean
}

function documents({ of = team.team, isIssuing = true, isAnother = false }: Asking = {}): RemoteDocuments {
  const environment = testEnvironment(scratch, { clock, ...(isAnother && { db: { ...scratch.db } }) })
  return new RemoteDocuments({ ...environment, team: of, scope: { teams: [of], actor: 'a test' } }, isIssuing)
}

const rows = (of = team.team) =>
  scratch.db.read('system', (reader) =>
    reader.selectFrom('remote_documents').selectAll().where('team_id', '=', of).orderBy('n').execute(),
  )

const schema = (title: string): JsonObject => ({ title, type: 'object', properties: { degree: { type: 'string' } } })
const context = (more: JsonObject = {}): JsonObject => ({ '@context': { score: 'https://v.example/score', ...more } })
let count = 0
/** Returns a path that nobody has asked for before. */
const path = (): string => `/${++count}`

it('a fetched document is kept with its digest, and counts from then on, whatever stands there later', async () => {
  const [where, first] = [path(), schema('First')]
  const url = host.put(where, first)
  expect(await documents().get('schema', url)).toMatchObject({ document: first })
  host.put(where, schema('Second'))
  for (const asking of [{}, { isIssuing: false }, { isAnother: true }, { isAnother: true, isIssuing: false }])
    expect(await documents(asking).get('schema', url)).toMatchObject({ document: first })
  expect(host.asked(where)).toBe(1)
  const kept = (await rows()).find((row) => row.url === url)
  const digest = createHash('sha256').update(JSON.stringify(first)).digest()
  expect(kept).toMatchObject({ kind: 'schema', document: JSON.stringify(first), digest, is_issued: true })
})

it('each team has its own, and each kind', async () => {
  const [where, other] = [path(), await testTeam(scratch.db)]
  const url = host.put(where, schema('First'))
  await documents().get('schema', url)
  host.put(where, { ...schema('Second'), ...context() })
  expect(await documents({ of: other.team }).get('context', url)).toMatchObject({ document: { title: 'Second' } })
  expect(await documents().get('schema', url)).toMatchObject({ document: { title: 'First' } })
  expect(await rows(other.team)).toMatchObject([{ kind: 'context', url }])
})

it('many who ask at once have it fetched once', async () => {
  const where = path()
  // The host answers late, so that all of them ask before it does.
  const url = host.put(where, (response) => setTimeout(() => response.end(JSON.stringify(context())), 700))
  const others = await Promise.all([1, 2, 3].map(() => testTeam(scratch.db)))
  const found = await Promise.all([...others, ...others].map(({ team: of }) => documents({ of }).get('context', url)))
  for (const one of found) expect(one).toMatchObject({ document: context() })
  expect(host.asked(where)).toBe(1)
})

it('a document that could not be fetched is not asked for again for a minute', async () => {
  const where = path()
  const url = `${host.put('/', {}).slice(0, -1)}${where}`
  const reason = 'it answered 404'
  expect(await documents().get('schema', url)).toEqual({ reason })
  host.put(where, schema('Now it is there'))
  later += FAILURE_MS - 1
  expect(await documents().get('schema', url)).toEqual({ reason })
  expect(host.asked(where)).toBe(1)
  later += 1
  expect(await documents().get('schema', url)).toMatchObject({ document: { title: 'Now it is there' } })
  expect(FAILURE_MS).toBe(60_000)
})

it('a failure of one team is remembered for no other', async () => {
  const where = path()
  const url = `${host.put('/', {}).slice(0, -1)}${where}`
  expect(await documents().get('schema', url)).toEqual({ reason: 'it answered 404' })
  host.put(where, schema('Now it is there'))
  const { team: of } = await testTeam(scratch.db)
  expect(await documents({ of }).get('schema', url)).toMatchObject({ document: { title: 'Now it is there' } })
})

const padded = (kind: RemoteKind, bytes: number): Buffer => {
  const document = kind === 'schema' ? schema('') : context()
  const text = (padding: string) => JSON.stringify({ ...document, description: padding })
  return Buffer.from(text('x'.repeat(bytes - text('').length)))
}

describe('limits', () => {
  it.each<[RemoteKind, number]>([
    ['schema', 65_536],
    ['context', 262_144],
  ])('a %s may have %i bytes', async (kind, bytes) => {
    expect(REMOTE[kind].maxBytes).toBe(bytes)
    for (const size of [bytes - 1, bytes])
      expect(await documents().get(kind, host.put(path(), padded(kind, size)))).toMatchObject({ bytes: size })
    expect(await documents().get(kind, host.put(path(), padded(kind, bytes + 1)))).toEqual({
      reason: `it is larger than ${bytes} bytes`,
    })
  })

  it('it must be there within two seconds', async () => {
    expect([REMOTE.schema.timeoutMs, REMOTE.context.timeoutMs]).toEqual([2_000, 2_000])
    const begun = performance.now()
    const never = host.put(path(), () => undefined)
    expect(await documents().get('context', never)).toEqual({ reason: 'it cannot be reached' })
    expect(performance.now() - begun).toBeLessThan(4_000)
  })

  it(`a request fetches ${MOST_FETCHES} at most, and may use any number of those that are kept`, async () => {
    const urls = Array.from({ length: MOST_FETCHES + 1 }, () => host.put(path(), context()))
    const first = documents()
    const found: Remote[] = []
    for (const url of urls) found.push(await first.get('context', url))
    expect(found.filter((one) => 'document' in one)).toHaveLength(MOST_FETCHES)
    expect(found.at(-1)).toEqual({ reason: `a request fetches at most ${MOST_FETCHES} documents` })
    const second = documents()
    for (const url of urls) expect(await second.get('context', url)).toMatchObject({ document: context() })
  })

  it('addresses have 2048 characters at most', async () => {
    const base = host.put('/', {})
    const url = (length: number): string => host.put(`/${'x'.repeat(length - base.length)}`, context())
    for (const length of [2047, 2048]) expect(await documents().get('context', url(length))).toHaveProperty('document')
    expect(await documents().get('context', url(2049))).toEqual({ reason: 'its address has more than 2048 characters' })
  })

  it('a team keeps a number of those that it issued with, and of others the newest', async () => {
    const other = await testTeam(scratch.db)
    const of = other.team
    const fill = (number: number, isIssued: boolean) =>
      scratch.db.transaction({ teams: [of], actor: 'a test' }, (tx) =>
        sql`insert into remote_documents (team_id, kind, url, digest, document, fetched, is_issued)
          select ${of}, 'context', 'https://kept.example/' || ${isIssued} || i, sha256(''), '{}', now(), ${isIssued}
          from generate_series(1, ${number}::int) i`.execute(tx),
      )
    await fill(KEPT.issued - 1, true)
    await fill(KEPT.others, false)
    const full = { reason: `your team issues with ${KEPT.issued} documents that stand elsewhere already` }
    const [last, more, seen] = [1, 2, 3].map(() => host.put(path(), context())) as [string, string, string]
    expect(await documents({ of }).get('context', last)).toHaveProperty('document')
    expect(await documents({ of }).get('context', more)).toEqual(full)
    expect(await documents({ of, isIssuing: false }).get('context', seen)).toHaveProperty('document')
    // It cannot be issued with either.
    expect(await documents({ of }).get('context', seen)).toEqual(full)
    const kept = await rows(of)
    expect(kept.filter((row) => row.is_issued)).toHaveLength(KEPT.issued)
    const others = kept.filter((row) => !row.is_issued).map(({ url }) => url)
    expect([others.length, others.at(0), others.at(-1)]).toEqual([KEPT.others, 'https://kept.example/false2', seen])
  })
})

it('a document that was fetched for a verification is kept for good once the team issues with it', async () => {
  const where = path()
  const url = host.put(where, context())
  await documents({ isIssuing: false }).get('context', url)
  const isIssued = async () => (await rows()).find((row) => row.url === url)?.is_issued
  expect(await isIssued()).toBe(false)
  await documents().get('context', url)
  expect([await isIssued(), host.asked(where)]).toEqual([true, 1])
})

it('a document that was dropped meanwhile is fetched again for issuing', async () => {
  const where = path()
  const url = host.put(where, context())
  await documents({ isIssuing: false }).get('context', url)
  const scope = { teams: [team.team], actor: 'a test' } as const
  await scratch.db.transaction(scope, (tx) => tx.deleteFrom('remote_documents').where('url', '=', url).execute())
  expect(await documents().get('context', url)).toHaveProperty('document')
  expect([(await rows()).find((row) => row.url === url)?.is_issued, host.asked(where)]).toEqual([true, 2])
})

it.each<[string, RemoteKind, Json | Buffer, string | RegExp]>([
  ['is not JSON', 'schema', Buffer.from('<html>'), 'it is not JSON'],
  ['is not UTF-8', 'context', Buffer.from([0x22, 0xff, 0x22]), 'it is not UTF-8'],
  ['is no object', 'context', ['x'], 'it is no JSON object'],
  ['has a member twice', 'context', Buffer.from('{"@context":{},"@context":{}}'), /stands twice/],
  ['is deep', 'context', context({ deep: nested(40) }), 'nesting is deeper than 32'],
  ['says nothing as a schema', 'schema', { hello: 'world' }, 'it is no JSON schema: it says nothing'],
  ['is a credential', 'schema', { '@context': CREDENTIALS_V1, type: 'object' }, 'it is JSON-LD, not a JSON schema'],
  ['is no valid schema', 'schema', { type: 'object', required: 'degree' }, 'required must be an array'],
  ['names a schema elsewhere', 'schema', { allOf: [{ $ref: 'https://v.example/s' }] }, /not a valid draft-07 schema/],
  ['is no context', 'context', { score: 'https://v.example/score' }, 'it is no JSON-LD context'],
  ['is an empty context', 'context', { '@context': [] }, 'it is no JSON-LD context'],
  ['names another context', 'context', { '@context': ['https://v.example/c', {}] }, /it names https:\/\/v.example\/c,/],
  [
    'imports another context',
    'context',
    context({ a: { '@id': 'https://v.example/a', '@context': { '@import': 'https://v.example/c' } } }),
    /it names https:\/\/v.example\/c,/,
  ],
])('a document that %s is not used', async (_, kind, content, reason) => {
  const found = await documents().get(kind, host.put(path(), content))
  expect(found).toEqual({ reason: typeof reason === 'string' ? reason : expect.stringMatching(reason) })
})

it('a context may name those that come with the service', async () => {
  const content = { '@context': [CREDENTIALS_V1, { score: 'https://v.example/score' }] }
  expect(await documents().get('context', host.put(path(), content))).toMatchObject({ document: content })
})

it('nothing is fetched from our own addresses, or from one that is no public one', async () => {
  const { config } = testEnvironment(scratch)
  expect(await documents().get('context', `${config.apiUrl}/contexts/None-V1-1.jsonld`)).toEqual({
    reason: 'there is none at this address of the service',
  })
  expect(await documents().get('context', 'http://127.0.0.2:9/c')).toEqual({
    reason: 'the host has no public address',
  })
  expect(await documents().get('schema', 'urn:x:1')).toEqual({ reason: 'only http: is fetched' })
})

function nested(depth: number): Json {
  return depth === 0 ? 'x' : { a: nested(depth - 1) }
}
