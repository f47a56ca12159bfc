import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { oddNames } from '../dids/odd-names.testing.js'
import { someDidKey, storedDid } from '../dids/testing.js'
import { indexedDatabase, type TestIndex, testIndex } from '../ledger/testing/test-index.js'
import { requestAs } from '../platform/testing/request-as.js'
import { type ScratchDatabase, type TestTeam, testEnvironment, testTeam } from '../platform/testing/scratch-database.js'
import { acceptLogo, storeLogo } from './logo.store.js'
import { LOGO_REFERENCES, sweepLogos } from './logo-sweep.js'
import { profiles } from './operations.js'
import { profileAt, profileOf } from './profile.store.js'

let scratch: ScratchDatabase
let ledger: TestIndex
let app: FastifyInstance
let mine: TestTeam
let other: TestTeam

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  app = await buildApp(testEnvironment(scratch), [profiles])
  mine = await testTeam(scratch.db)
  other = await testTeam(scratch.db)
})
afterAll(async () => {
  await app.close()
  await ledger.close()
  await scratch.close()
})

const call = (method: string, url: string, payload?: object | string, team = mine) =>
  requestAs(app, team, method, url, payload)
const png = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]).toString('base64')}`
const withProfile = async (body: object = {}): Promise<string> => {
  const did = await storedDid(scratch, mine)
  expect((await call('POST', '/profiles', { did, name: 'A', ...body })).statusCode).toBe(200)
  return did
}

test('a profile is made, read, listed newest first, changed and deleted', async () => {
  const [first, second] = [await withProfile(), await storedDid(scratch, mine)]
  const made = await call('POST', '/profiles', {
    did: second,
    name: ' Bilkent Üniversitesi ',
    description: 'A university',
  })
  const profile = { did: second, name: 'Bilkent Üniversitesi', description: 'A university', logo: '' }
  expect(made.json()).toEqual(profile)
  expect((await call('GET', `/profiles/${second}`)).json()).toEqual(profile)
  expect((await call('GET', '/profiles')).json().map(({ did }: { did: string }) => did)).toEqual([second, first])
  expect((await call('GET', '/profiles?limit=1&offset=1')).json()).toHaveLength(1)
  expect((await call('PATCH', `/profiles/${second}`, { name: 'Bilkent' })).json()).toEqual({
    ...profile,
    name: 'Bilkent',
  })
  expect((await call('GET', '/profiles?limit=1')).json()[0].name).toBe('Bilkent')
  const gone = await call('DELETE', `/profiles/${second}`)
  expect([gone.statusCode, gone.body]).toEqual([200, '{}'])
  expect((await call('GET', `/profiles/${second}`)).statusCode).toBe(404)
  expect((await call('DELETE', `/profiles/${second}`)).statusCode).toBe(404)
  expect((await call('POST', '/profiles', { did: second, name: 'Again' })).statusCode).toBe(200)
})

test('profiles are found by a part of the name, without accents and case, or of the DID', async () => {
  const team = await testTeam(scratch.db)
  const named = async (name: string) => {
    const did = await storedDid(scratch, team)
    expect((await call('POST', '/profiles', { did, name }, team)).statusCode).toBe(200)
    return did
  }
  const [, istanbul] = [await named('Bilkent Üniversitesi'), await named('İSTANBUL TEKNİK ÜNİVERSİTESİ')]
  const found = async (search: string) => {
    const answer = await call('GET', `/profiles?search=${encodeURIComponent(search)}`, undefined, team)
    return answer.statusCode === 200 ? answer.json().map(({ name }: { name: string }) => name) : answer.statusCode
  }
  expect(await found('universitesi')).toEqual(['İSTANBUL TEKNİK ÜNİVERSİTESİ', 'Bilkent Üniversitesi'])
  for (const search of ['istanbul', 'ıstanbul', 'İstanbul', istanbul.slice(-9)])
    expect(await found(search), search).toEqual(['İSTANBUL TEKNİK ÜNİVERSİTESİ'])
  for (const search of ['no such', '%', '\u0301']) expect(await found(search), search).toEqual([])
  for (const search of ['', ' ', 'a'.repeat(201)]) expect(await found(search), search).toBe(400)
})

test('a name of 256 bytes is taken in any script, and the limit is 256 characters', async () => {
  const named = async (name: string) => {
    const answer = await call('POST', '/profiles', { did: await storedDid(scratch, mine), name })
    expect(answer.statusCode === 200 ? answer.json().name : '').toBe(answer.statusCode === 200 ? name : '')
    return answer.statusCode
  }
  const arabic = (bytes: number) => `${'ج'.repeat(Math.floor(bytes / 2))}${bytes % 2 === 1 ? 'a' : ''}`
  for (const bytes of [255, 256, 257]) {
    expect(Buffer.byteLength(arabic(bytes))).toBe(bytes)
    expect(await named(arabic(bytes)), `${bytes} bytes of Arabic`).toBe(200)
    expect(await named('a'.repeat(bytes)), `${bytes} letters`).toBe(bytes > 256 ? 400 : 200)
  }
  expect(await named('ج'.repeat(256))).toBe(200)
  expect(await named('ج'.repeat(257))).toBe(400)
})

test('a change that names another DID than its path is refused', async () => {
  const [did, another] = [await withProfile(), await withProfile()]
  const patch = (body: object) => call('PATCH', `/profiles/${did}`, { name: 'B', ...body })
  for (const one of [another, '', 7]) expect((await patch({ did: one })).json()).toMatchObject({ status: 400 })
  expect((await call('GET', `/profiles/${did}`)).json().name).toBe('A')
  for (const one of [did, null]) expect((await patch({ did: one })).json()).toMatchObject({ did, name: 'B' })
})

test('a second profile for a DID is a conflict, and two at once leave one', async () => {
  const did = await storedDid(scratch, mine)
  const answers = await Promise.all([1, 2, 3].map((n) => call('POST', '/profiles', { did, name: `Name ${n}` })))
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409])
})

test('a retried deletion answers as the first time', async () => {
  const did = await withProfile()
  const headers = { 'svc-api-token': mine.apiKey, 'idempotency-key': 'delete-once' }
  const remove = () => app.inject({ method: 'DELETE', url: `/profiles/${did}`, headers })
  for (const answer of [await remove(), await remove()]) expect([answer.statusCode, answer.body]).toEqual([200, '{}'])
})

test('a deletion that declares JSON and sends none, as clients of some languages do, is one all the same', async () => {
  for (const type of ['application/json', 'application/json; charset=utf-8']) {
    const did = await withProfile()
    const headers = { 'svc-api-token': mine.apiKey, 'content-type': type }
    const gone = await app.inject({ method: 'DELETE', url: `/profiles/${did}`, headers })
    expect([gone.statusCode, gone.body]).toEqual([200, '{}'])
    expect((await call('GET', `/profiles/${did}`)).statusCode).toBe(404)
  }
})

describe('another team', () => {
  test('gets the answers of a missing DID', async () => {
    const did = await withProfile()
    const missing = someDidKey()
    for (const [method, body] of [['GET'], ['PATCH', { name: 'X' }], ['DELETE']] as const) {
      const [theirs, none] = [
        await call(method, `/profiles/${did}`, body, other),
        await call(method, `/profiles/${missing}`, body, other),
      ]
      expect([theirs.statusCode, theirs.json()]).toEqual([404, none.json()])
    }
    const body = (of: string) => ({ did: of, name: 'Mine now' })
    const [theirs, none] = [
      await call('POST', '/profiles', body(did), other),
      await call('POST', '/profiles', body(missing), other),
    ]
    expect([theirs.statusCode, theirs.json()]).toEqual([404, none.json()])
    expect((await call('GET', '/profiles', undefined, other)).json()).toEqual([])
    expect((await call('GET', `/profiles/${did}`)).json().name).toBe('A')
  })

  test('still reads the public facts of a DID where it takes part in an ecosystem', async () => {
    const did = await withProfile({ name: 'Public name' })
    const scope = { teams: [other.team], actor: 'test' } as const
    expect(await scratch.db.read(scope, (reader) => profileOf(reader, did))).toMatchObject({ name: 'Public name' })
    expect(await scratch.db.read('public', (reader) => profileOf(reader, did))).toMatchObject({ name: 'Public name' })
  })
})

test('a name is what it was at any past instant', async () => {
  const did = await withProfile({ name: 'Before' })
  const between = new Date()
  while (new Date() <= between);
  await call('PATCH', `/profiles/${did}`, { name: 'After' })
  const at = (instant: Date) =>
    scratch.db.read('public', async (reader) => {
      const { rows } = await sql<{
        name: string
      }>`select name from service.profiles_at(array[${did}], ${instant})`.execute(reader)
      const profile = await profileAt(reader, did, instant)
      expect(rows[0]?.name).toBe(profile?.name)
      return profile?.name
    })
  expect(await at(between)).toBe('Before')
  expect(await at(new Date())).toBe('After')
  expect(await at(new Date(0))).toBeUndefined()
  const beforeDeletion = new Date()
  while (new Date() <= beforeDeletion);
  await call('DELETE', `/profiles/${did}`)
  expect(await at(beforeDeletion)).toBe('After')
  expect(await at(new Date())).toBeUndefined()
})

describe('a logo', () => {
  test('given as an image is served from its hash, as nothing but an image', async () => {
    const did = await withProfile({ logo: png })
    const { logo } = (await call('GET', `/profiles/${did}`)).json()
    expect(new URL(logo).pathname).toMatch(/^\/logos\/[0-9a-f]{64}$/)
    const answer = await app.inject({ url: new URL(logo).pathname })
    expect(answer.rawPayload).toEqual(Buffer.from(png.split(',')[1] ?? '', 'base64'))
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    })
    const twin = await withProfile({ logo: png })
    expect((await call('GET', `/profiles/${twin}`)).json().logo).toBe(logo)
  })

  test('of 1 MB is taken, and one byte more is not', async () => {
    const image = (bytes: number) =>
      `data:image/bmp;base64,${Buffer.concat([Buffer.from('BM'), randomBytes(bytes - 2)]).toString('base64')}`
    await withProfile({ logo: image(1_048_576) })
    const did = await storedDid(scratch, mine)
    expect((await call('POST', '/profiles', { did, name: 'A', logo: image(1_048_577) })).json()).toMatchObject({
      status: 400,
    })
  })

  test('given as a URL stays that URL; empty and null are none', async () => {
    const did = await withProfile({ logo: 'https://example.org/logo.png' })
    expect((await call('GET', `/profiles/${did}`)).json().logo).toBe('https://example.org/logo.png')
    expect((await call('PATCH', `/profiles/${did}`, { logo: '' })).json().logo).toBe('')
    expect((await call('PATCH', `/profiles/${did}`, { logo: null, description: null })).json()).toMatchObject({
      logo: '',
      description: '',
    })
  })

  test.each([null, ''])('of an organisation in an ecosystem too is taken away by %j', async (none) => {
    const did = await withProfile({ logo: png })
    await ledger.row('issuer', {
      registry_id: '0x01',
      schema_id: '0x02',
      did,
      prices: {},
      from_block: 1,
      to_block: null,
    })
    expect((await call('PATCH', `/profiles/${did}`, { logo: none })).json()).toMatchObject({ did, logo: '' })
    expect((await call('GET', `/profiles/${did}`)).json().logo).toBe('')
  })

  test('that nothing refers to is forgotten a day later, and not while a page of the past shows it', async () => {
    const store = (n: number, now: Date) =>
      scratch.db.transaction({ teams: [mine.team], actor: 'test' }, (tx) =>
        storeLogo(tx, acceptLogo(`${png}${n}`), { base: 'https://api.example', now }),
      )
    const [day, now] = [86_400_000, new Date()]
    const ago = (ms: number) => new Date(now.getTime() - ms)
    const sweep = () => sweepLogos({ ...testEnvironment(scratch), db: scratch.db, clock: { now: () => now } })
    const isThere = async (logo: string) => (await app.inject({ url: new URL(logo).pathname })).statusCode === 200

    const old = await store(1000, ago(day))
    const young = await store(1001, ago(day - 1))
    const again = await store(1002, ago(2 * day))
    const past = await store(1003, ago(2 * day))
    const version = await store(1004, ago(2 * day))
    const refused = await store(1005, ago(2 * day))
    await store(1002, now)
    const did = await withProfile({ logo: past })
    await call('PATCH', `/profiles/${did}`, { logo: '' })
    await scratch.db.transaction('system', async (tx) => {
      const registry = { registry_id: `0x${'9'.repeat(64)}`, team_id: mine.team, job_id: '1' }
      await tx
        .insertInto('trust_registries')
        .values({ ...registry, convener: did, state: 'active', created: now })
        .execute()
      const texts = { name: '', slug: '', description: '', ecosystem_url: '', governance_framework: '' }
      const row = { ...registry, ...texts, governance_framework_version: '', governance_reference: '', from_time: now }
      await tx
        .insertInto('trust_registry_versions')
        .values([
          { ...row, version: 1, logo_url: version, state: 'active' },
          { ...row, version: 2, logo_url: refused, state: 'failed' },
        ])
        .execute()
    })
    await sweep()
    for (const logo of [young, again, past, version]) expect(await isThere(logo), logo).toBe(true)
    for (const logo of [old, refused]) expect(await isThere(logo), logo).toBe(false)
  })

  test('is looked for wherever an address of one can stand', async () => {
    const places = await scratch.db.call(sql<{ place: string }>`
      select c.table_name || '.' || c.column_name as place from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'service' and t.table_type = 'BASE TABLE' and c.column_name ~ 'logo'`)
    expect(places.map(({ place }) => place).sort()).toEqual(Object.keys(LOGO_REFERENCES).sort())
  })

  test.each(['/logos/x', `/logos/${'0'.repeat(64)}`, '/logos/%2e%2e%2fx', '/logos/%00'])(
    '%s is missing',
    async (url) => {
      expect([400, 404]).toContain((await app.inject({ url })).statusCode)
    },
  )
})

const bad: [string, object | string][] = [
  ['nothing', ''],
  ['no name', { did: 'DID' }],
  ['no DID', { name: 'A' }],
  ['a name of spaces', { did: 'DID', name: '   ' }],
  ['a name that is a number', { did: 'DID', name: 1 }],
  ['a long name', { did: 'DID', name: 'a'.repeat(257) }],
  ['a name with a line break', { did: 'DID', name: 'a\nb' }],
  ['a name with a NUL', { did: 'DID', name: 'a\u0000b' }],
  ['half a surrogate pair', '{"did":"DID","name":"\\udfff"}'],
  ['a long description', { did: 'DID', name: 'A', description: 'b'.repeat(4097) }],
  ['a description that is a list', { did: 'DID', name: 'A', description: [] }],
  ['a logo that is a number', { did: 'DID', name: 'A', logo: 1 }],
  ['a logo that is a script', { did: 'DID', name: 'A', logo: 'javascript:alert(1)' }],
  ['a logo that is a drawing', { did: 'DID', name: 'A', logo: 'data:image/svg+xml;base64,PHN2Zy8+' }],
  ['a DID that is a number', { did: 1, name: 'A' }],
  ['a text that is no DID', { did: 'x', name: 'A' }],
  ['a list', []],
  ['a deep nesting', `{"did":"DID","name":"A","x":${'['.repeat(3000)}${']'.repeat(3000)}}`],
]
test.each(bad)('a body with %s is refused, and nothing is stored', async (_what, body) => {
  const did = await storedDid(scratch, mine)
  const payload = (typeof body === 'string' ? body : JSON.stringify(body)).replace('"DID"', JSON.stringify(did))
  const answer = await call('POST', '/profiles', payload)
  expect(answer.json()).toMatchObject({ status: 400, type: expect.any(String), message: expect.any(String) })
  expect((await call('GET', `/profiles/${did}`)).statusCode).toBe(404)
})

test('10 MB are refused before they are read, and an update without anything to change is refused', async () => {
  const did = await withProfile()
  const answer = await call('POST', '/profiles', { did, name: 'A', logo: 'a'.repeat(10_000_000) })
  expect(answer.json()).toMatchObject({ status: 413 })
  expect((await call('PATCH', `/profiles/${did}`, {})).json()).toMatchObject({ status: 400 })
  expect((await call('PATCH', `/profiles/${did}`, { did: 'ignored', unknown: 1 })).json()).toMatchObject({
    status: 400,
  })
})

test('odd names of real institutions are stored as they are, or refused when no database can hold them', async () => {
  for (const name of oddNames()) {
    const did = await storedDid(scratch, mine)
    const answer = await call('POST', '/profiles', { did, name })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what makes these names odd
    if (/[\u0000-\u001f]/.test(name)) expect(answer.statusCode).toBe(400)
    else expect(answer.json().name).toBe(name)
  }
})
