import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { oddNames } from '../dids/odd-names.testing.js'
import { storedDid } from '../dids/testing.js'
import { indexedDatabase, type TestIndex, testIndex } from '../ledger/testing/test-index.js'
import { type ScratchDatabase, type TestTeam, testEnvironment, testTeam } from '../platform/testing/scratch-database.js'
import { schemas } from './operations.js'
import { findSchema, hashOf } from './schema.store.js'

let scratch: ScratchDatabase
let ledger: TestIndex
let app: FastifyInstance
let mine: TestTeam
let other: TestTeam

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(3)
  app = await buildApp(testEnvironment(scratch, { index: ledger.index }), [schemas])
  mine = await testTeam(scratch.db)
  other = await testTeam(scratch.db)
})
afterAll(async () => {
  await app.close()
  await ledger.close()
  await scratch.close()
})

const headers = ({ apiKey }: TestTeam) => ({ 'svc-api-token': apiKey, 'content-type': 'application/json' })
const get = (url: string, team = mine) => app.inject({ url, headers: headers(team) })
const post = (payload: object | string, team = mine) =>
  app.inject({ method: 'POST', url: '/schemas', payload, headers: headers(team) })
const remove = (id: string, team = mine) =>
  app.inject({ method: 'DELETE', url: `/schemas/${encodeURIComponent(id)}`, headers: headers(team) })
const degree = (name: string) => ({
  name,
  type: 'object',
  properties: { degree: { type: 'string' } },
  required: ['degree'],
})
const create = async (name: string, team = mine): Promise<string> => (await post(degree(name), team)).json().data.id
const listed = async (team = mine, query = ''): Promise<string[]> =>
  (await get(`/schemas${query}`, team)).json().map(({ id }: { id: string }) => id)
/** Writes an index in which a registry of this convener lists the schema. */
async function list(registry: string, hash: string, convener: string): Promise<void> {
  const since = { registry_id: registry, from_block: 1, to_block: null }
  await ledger.row('trust_registry', {
    ...since,
    convener,
    pending_convener: null,
    name: 'N',
    gov_framework: 'G',
    version: 1,
  })
  await ledger.row('registry_schema', { ...since, schema_id: hash, is_public: false })
}

describe('a new schema', () => {
  test('is public at its address, with its address, metadata and context inside', async () => {
    const answer = await post({
      $schema: 'http://json-schema.org/schema',
      ...degree('University Degree'),
      author: 'did:x',
      custom: [1],
    })
    expect(answer.statusCode).toBe(200)
    const { id, data } = answer.json()
    expect(id).toBe('0')
    expect(data.id).toMatch(/\/schema-documents\/UniversityDegree-V1-\d{13}\.json$/)
    expect(data).toMatchObject({ uri: data.id, isOwner: true, ownerName: 'Test team', ownerLogo: '' })
    expect(data.schema).toMatchObject({ $id: data.id, custom: [1], required: ['degree'] })
    expect(data.schema).not.toHaveProperty('author')

    const document = await app.inject({ url: new URL(data.id).pathname })
    expect(document.statusCode).toBe(200)
    expect(document.json()).toEqual(data.schema)
    const contextUrl = new URL(data.schema.$metadata.uris.jsonLdContext)
    expect(contextUrl.pathname).toMatch(/^\/contexts\/UniversityDegree-V1-\d{13}\.jsonld$/)
    const context = await app.inject({ url: contextUrl.pathname })
    expect(context.headers['content-type']).toMatch(/^application\/ld\+json/)
    expect(Object.keys(context.json()['@context'])).toEqual(expect.arrayContaining(['degree', 'UniversityDegree']))
  })

  test('has an id, metadata and author of ours: a caller’s are named as ignored, and refused in strict handling', async () => {
    const elsewhere = { $id: 'https://example.org/degree.json', $metadata: { version: 7 }, author: 'did:x' }
    const body = { ...degree('Foreign'), ...elsewhere }
    const answer = await post(body)
    expect([answer.statusCode, answer.headers['accredit-ignored']]).toEqual([200, '/%24id, /%24metadata, /author'])
    const blank = await post({ ...degree('Blank'), author: '' })
    expect([blank.statusCode, blank.headers['accredit-ignored']]).toEqual([200, undefined])
    const strict = { ...headers(mine), prefer: 'handling=strict' }
    const refused = await app.inject({ method: 'POST', url: '/schemas', payload: body, headers: strict })
    expect(refused.json()).toMatchObject({ status: 400, type: 'unknown_member' })
  })

  test('takes an address of ours as $id only if it is that of a schema of its team, deleted or not', async () => {
    const id = await create('Owned')
    const naming = ($id: string, team = mine) => post({ ...degree('Owned'), $id }, team)
    expect((await naming(id)).headers['accredit-ignored']).toBe('/%24id')
    await remove(id)
    expect((await naming(id)).statusCode).toBe(200)
    const { origin } = new URL(id)
    for (const [address, team] of [
      [id, other],
      [id.toUpperCase(), mine],
      [`${origin}/schema-documents/Owned-V9-1.json`, mine],
      [`${origin}/c/${'0'.repeat(64)}`, mine],
    ] as const)
      expect((await naming(address, team)).json(), address).toMatchObject({ status: 409, type: 'conflict' })
  })

  test('is read by its address, encoded or raw, and by its hash with or without 0x, by any team', async () => {
    const id = await create('Readable')
    const hash = hashOf(id)
    for (const name of [encodeURIComponent(id), id, hash, hash.slice(2), hash.slice(2).toUpperCase()]) {
      const answer = await get(`/schemas/${name}`, other)
      expect(answer.json()).toMatchObject({ id, isOwner: false, ownerName: 'Test team' })
    }
  })

  test('counts versions of its name, and two teams at once never share an address', async () => {
    const names = await Promise.all(Array.from({ length: 8 }, (_, i) => create('Same Name', i % 2 ? mine : other)))
    expect(new Set(names).size).toBe(8)
    const versions = names.map((name) => /SameName-V(\d)-/.exec(name)?.[1]).sort()
    expect(versions).toEqual(['1', '1', '2', '2', '3', '3', '4', '4'])
  })

  test('keeps the order of its members', async () => {
    const { data } = (await post({ name: 'Order', properties: { z: {}, a: {}, m: {} } })).json()
    expect(Object.keys((await get(`/schemas/${data.id}`)).json().schema.properties)).toEqual(['z', 'a', 'm'])
  })
})

describe('the list', () => {
  test("holds the team's own, newest first, in pages", async () => {
    const team = await testTeam(scratch.db)
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three']) ids.unshift(await create(name, team))
    expect(await listed(team)).toEqual(ids)
    expect(await listed(team, '?offset=1&limit=1')).toEqual([ids[1]])
    for (const query of ['?limit=0', '?limit=65', '?offset=-1', '?limit=x']) {
      expect((await get(`/schemas${query}`, team)).statusCode).toBe(400)
    }
  })

  test('includes schemas of ecosystems that a DID of the team takes part in, unless it is told not to', async () => {
    const team = await testTeam(scratch.db)
    const theirs = await create('Ecosystem', other)
    const did = await storedDid(scratch, team)
    expect(await listed(team)).toEqual([])
    await list('0x01', hashOf(theirs), did)
    expect(await listed(team)).toEqual([theirs])
    expect(await listed(team, '?includeEcosystems=false')).toEqual([])
  })
})

describe('deleting', () => {
  test('takes it out of lists and records, and leaves the documents that credentials point to', async () => {
    const id = await create('Gone')
    expect((await remove(id)).json()).toEqual({ id: '0', data: { status: 'pending' } })
    expect((await get(`/schemas/${id}`)).statusCode).toBe(404)
    expect(await listed()).not.toContain(id)
    expect((await remove(id)).statusCode).toBe(404)
    expect((await app.inject({ url: new URL(id).pathname })).statusCode).toBe(200)
    expect(await scratch.db.read('public', (reader) => findSchema(reader, id))).toMatchObject({ id })
  })

  test("is refused for another team's schema as for a missing one, and while an ecosystem uses it", async () => {
    const id = await create('Used')
    const [foreign, missing] = [await remove(id, other), await remove('https://example.org/none.json', other)]
    expect(foreign.json()).toEqual(missing.json())
    expect(foreign.statusCode).toBe(404)
    await list('0x02', hashOf(id), 'did:svc:someone')
    expect((await remove(id)).json()).toMatchObject({ status: 400, type: 'invalid_request' })
    expect((await get(`/schemas/${id}`)).statusCode).toBe(200)
  })
})

test.each([
  [{ title: ' A title ' }, 'A title'],
  [{ name: null, title: '', $id: 'https://h.example/a/Degree.schema.json#x' }, 'Degree'],
  [{ $id: 'urn:example:Degree' }, 'Degree'],
  [{ $id: 'https://h.example/' }, 'Schema'],
])('without a name %j is called by what it says', async (more, name) => {
  const answer = await post({ type: 'object', ...more })
  expect(answer.json()).toMatchObject({ data: { schema: { name } } })
  expect(answer.json().data.id).toContain(`/${name.replaceAll(' ', '').replace('Atitle', 'ATitle')}-V`)
})

test('a schema that only the ledger knows has its hash as id and no document', async () => {
  const hash = `0x${'ab'.repeat(32)}`
  await list('0x03', hash, 'did:svc:someone')
  expect((await get(`/schemas/${hash}`)).json()).toEqual({
    id: hash,
    uri: '',
    schema: null,
    created: '2026-01-01T00:00:01.000Z',
    isOwner: false,
    ownerName: '',
    ownerLogo: '',
  })
})

const nested = (depth: number): object => (depth === 0 ? {} : { properties: { a: nested(depth - 1) } })

test.each<[string, object | string]>([
  ['nothing', ''],
  ['an empty name', { name: '  ' }],
  ['a name that is no text', { name: 7 }],
  ['a long name', { name: 'a'.repeat(257) }],
  ['a list', []],
  ['a text', '"schema"'],
  ['null', 'null'],
  ['broken JSON', '{"name":'],
  ['properties that are a text', { name: 'a', properties: 'b' }],
  ['required that is a number', { name: 'a', required: 1 }],
  ['a type that no subject has', { name: 'a', type: 'array' }],
  ['an unknown dialect', { $schema: 'https://example.org/schema', name: 'a' }],
  ['a remote reference', { name: 'a', $ref: 'http://169.254.169.254/latest' }],
  ['a NUL in a name', { name: 'a\u0000b' }],
  ['a NUL in a property', { name: 'a', properties: { 'b\u0000': {} } }],
  ['half a surrogate pair', '{"name":"a","description":"\\ud800"}'],
  ['a poisoned prototype', '{"name":"a","__proto__":{"x":1}}'],
  ['too deep a nesting', { name: 'a', ...nested(40) }],
  ['a nesting that parsers fear', `{"name":"a","x":${'['.repeat(3000)}${']'.repeat(3000)}}`],
  ['too many bytes', { name: 'a', description: 'b'.repeat(70_000) }],
  ['a look-around', { name: 'a', properties: { b: { pattern: '(?<=a)' } } }],
])('a body with %s is refused with a reason, and nothing is stored', async (_what, body) => {
  const before = await scratch.db.read('system', (r) =>
    r
      .selectFrom('schemas')
      .select(({ fn }) => fn.countAll().as('n'))
      .executeTakeFirst(),
  )
  const answer = await post(body)
  expect(answer.json()).toMatchObject({ status: 400, type: expect.any(String), message: expect.stringMatching(/.{5}/) })
  const after = await scratch.db.read('system', (r) =>
    r
      .selectFrom('schemas')
      .select(({ fn }) => fn.countAll().as('n'))
      .executeTakeFirst(),
  )
  expect(after).toEqual(before)
})

test('odd names of real institutions are stored as they are, or refused when no database can hold them', async () => {
  for (const name of oddNames()) {
    const answer = await post(degree(name))
    if (name.includes('\u0000')) expect(answer.statusCode).toBe(400)
    else expect(answer.json().data.schema.name).toBe(name)
  }
})

test.each([
  '/schemas/%00',
  '/schemas/%FF',
  '/schemas/nothing',
  `/schemas/${'a'.repeat(1999)}`,
  "/schemas/';drop table schemas",
])('%s is an unknown schema', async (url) => {
  expect([400, 404]).toContain((await get(url)).statusCode)
})

test.each(['x.json', 'X-V1-1.json', 'X-V1-1.jsonld', '..%2F..%2Fetc%2Fpasswd', '%00.json', 'X-V1-1'])(
  'hosted file %s is missing',
  async (file) => {
    for (const folder of ['schema-documents', 'contexts']) {
      expect([400, 404]).toContain((await app.inject({ url: `/${folder}/${file}` })).statusCode)
    }
  },
)

test('all faults of a schema are told at once, each at its place and in words', async () => {
  const answer = await post({ name: ' ', title: null, properties: { a: { minLength: 'x' } } })
  const { status, problems } = answer.json<{ status: number; problems: { path: string; message: string }[] }>()
  expect(status).toBe(400)
  expect(new Map(problems.map(({ path, message }) => [path, message]))).toEqual(
    new Map([
      ['/name', 'name must be a text that is not blank'],
      ['/title', 'title must be a text; got null'],
      ['/properties/a/minLength', 'properties.a.minLength must be a whole number of at least 0; got "x"'],
    ]),
  )
})

test('the name that an address gives is read as people do', async () => {
  const named = async (end: string) =>
    (await post({ ...degree('x'), name: undefined, $id: `https://school.example/${end}` })).json().data.schema.name
  expect(await named('Student%20Card.json')).toBe('Student Card')
  expect(await named('%C3%96%C4%9Frenci.schema.json')).toBe('Öğrenci')
  expect(await named('%zz.json')).toBe('%zz')
})
