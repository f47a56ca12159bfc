import type { Did, Hex32 } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestTeam } from '../platform/testing/scratch-database.js'
import { type Answer, TEXTS, TestEcosystems } from './testing.js'

let world: TestEcosystems
let team: TestTeam
let convener: Did
let registry: Hex32
let participant: string
beforeAll(async () => {
  world = await TestEcosystems.open()
  team = await world.team()
  convener = await world.organisation(team, 'Council')
  registry = await world.registry(team, convener, 'Degrees')
  participant = (await world.accept(team, team, registry, convener)).body.id
})
afterAll(() => world.close())

const names: [string, unknown][] = [
  ['no text', 7],
  ['null', null],
  ['an object', { toString: 'x' }],
  ['empty', ''],
  ['blank', ' \t\u00a0'],
  ['invisible', '\u200b'],
  ['fillers', '\u3164\u115f\u1160\uffa0'],
  ['the blank sign of Braille', '\u2800 \u2800'],
  ['NUL', 'a\u0000b'],
  ['a lone surrogate', 'a\ud800'],
  ['controls', 'a\u0007b'],
  ['line breaks', 'a\r\nb'],
  ['turned around', 'safe \u202egnihtemos'],
  ['broken', 'Universit\ufffdt'],
  ['C1 controls', 'Medical Academy \u0093Karol\u0094'],
  ['257 bytes', 'a'.repeat(257)],
  ['257 bytes in 65 letters', `${'𝒟'.repeat(64)}a`],
  ['a megabyte', 'a'.repeat(1_000_000)],
]
const urls: unknown[] = [
  '',
  'example.org',
  'javascript:alert(1)',
  'data:image/png;base64,AAAA',
  'data:text/html,<script>',
  'https://',
  'https://a b',
  'https://u:p@example.org',
  7,
  null,
  'x'.repeat(3000),
]
const dids: unknown[] = [
  '',
  'did',
  'did:web:example.org',
  'did:svc:0OIl',
  `did:svc:${'1'.repeat(500)}`,
  7,
  null,
  {},
  "did:svc:'--",
]
const schemaLists: unknown[] = [
  'https://schema.example/a.json',
  [7],
  [''],
  ['not a uri'],
  ['0x12'],
  [null],
  [{}],
  Array(1000).fill('https://a.example/b'),
]
const refs = [
  '0x',
  `0x${'0'.repeat(63)}`,
  `0x${'0'.repeat(64)}`,
  `0x${'g'.repeat(64)}`,
  'unknown',
  '%00',
  '%F0%9F%8E%93',
  '..%2F..%2Fetc',
  "';--",
  'x'.repeat(900),
]

const texts = { convener: '', name: 'Fine', ...TEXTS }
const registryBodies = (): [string, object][] => [
  ...names.map(([what, name]): [string, object] => [`name: ${what}`, { name }]),
  ...urls.flatMap((url): [string, object][] => [
    [`logoUrl: ${String(url).slice(0, 40)}`, { logoUrl: url }],
    [`ecosystemUrl: ${String(url).slice(0, 40)}`, { ecosystemUrl: url }],
  ]),
  ['governanceFramework: empty', { governanceFramework: '' }],
  ['governanceFramework: controls', { governanceFramework: 'a\u001b' }],
  ['governanceFramework: too long', { governanceFramework: 'a'.repeat(200_001) }],
  ['governanceFrameworkVersion: line feed', { governanceFrameworkVersion: '1\n2' }],
  ['governanceFrameworkVersion: missing', { governanceFrameworkVersion: undefined }],
  ['description: broken', { description: '\ufffd' }],
  ['description: missing', { description: undefined }],
]

/** Expects a refusal, with the body that every refusal has. */
function refused(answer: Answer, statuses: number[], what: string): void {
  expect(statuses, `${what}: ${JSON.stringify(answer.body)?.slice(0, 200)}`).toContain(answer.status)
  expect(answer.body, what).toMatchObject({
    status: answer.status,
    type: expect.any(String),
    message: expect.any(String),
  })
}

const counts = () =>
  world.scratch.db.read('system', async (reader) => {
    const count = async (
      table: 'trust_registries' | 'trust_registry_versions' | 'registry_slugs' | 'participants' | 'jobs',
    ) =>
      (
        await reader
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('n'))
          .executeTakeFirst()
      )?.n
    const tables = ['trust_registries', 'trust_registry_versions', 'registry_slugs', 'participants', 'jobs'] as const
    return Promise.all(tables.map(count))
  })

test('creating and changing a registry refuse what is no name, text or URL, and store nothing', async () => {
  const before = await counts()
  for (const [what, bad] of registryBodies()) {
    refused(await world.call(team, 'POST', '/trust-registries', { ...texts, convener, ...bad }), [400], what)
    // Null is absent there.
    if (Object.values(bad).includes(null)) continue
    refused(await world.call(team, 'PATCH', `/trust-registries/${registry}`, { ...texts, ...bad }), [400], what)
  }
  for (const did of dids)
    refused(await world.call(team, 'POST', '/trust-registries', { ...texts, convener: did }), [400], String(did))
  for (const body of [[], 'text', 7, null])
    refused(await world.call(team, 'POST', '/trust-registries', body as object), [400, 415], JSON.stringify(body))
  expect(await counts()).toEqual(before)
})

test('inviting, accepting and changing participants refuse bad schemas, tokens, DIDs and URLs, and store nothing', async () => {
  const before = await counts()
  const base = `/trust-registries/${registry}/participants`
  for (const list of schemaLists)
    for (const role of ['issuerSchemas', 'verifierSchemas']) {
      const what = `${role} ${JSON.stringify(list).slice(0, 60)}`
      refused(await world.call(team, 'POST', base, { [role]: list }), [400], what)
      refused(await world.call(team, 'PATCH', `${base}/${participant}`, { [role]: list }), [400], what)
    }
  for (const maxAge of [0, -1, 1.5, '60', 1e12])
    refused(await world.call(team, 'POST', base, { maxAge }), [400], `maxAge ${maxAge}`)
  for (const status of ['', 'ACTIVE', 'deleted', 1, ['active']])
    refused(await world.call(team, 'PATCH', `${base}/${participant}`, { status }), [400], `status ${status}`)
  for (const infoUrl of urls.filter((url) => url !== '' && url !== null)) {
    refused(await world.call(team, 'PATCH', `${base}/${participant}`, { infoUrl }), [400], `infoUrl ${infoUrl}`)
    refused(await world.call(team, 'PATCH', `${base}/${participant}/info`, { infoUrl }), [400], `infoUrl ${infoUrl}`)
  }
  const { link } = (await world.call(team, 'POST', base, {})).body
  const token = link.split('?token=')[1]
  const answer = (body: object) => world.call(team, 'POST', '/trust-registries/invitations/accept', body)
  for (const did of dids) refused(await answer({ token, did, infoUrl: '' }), [400], `did ${did}`)
  for (const infoUrl of urls.filter((url) => url !== '' && url !== null))
    refused(await answer({ token, did: convener, infoUrl }), [400], `infoUrl ${infoUrl}`)
  for (const bad of ['', 'x', 'a.b.c', `${token}x`, token.slice(0, -4), 7, null, '🎓', 'a'.repeat(600_000)])
    for (const what of ['accept', 'decline', 'snooze'])
      refused(
        await world.call(team, 'POST', `/trust-registries/invitations/${what}`, { token: bad, did: convener }),
        [400],
        `token ${String(bad).slice(0, 40)}`,
      )
  expect(await counts()).toEqual(before)
})

test('an unknown or malformed registry or participant is refused alike by every operation', async () => {
  const uuid = '00000000-0000-8000-a000-000000000000'
  for (const ref of refs) {
    const path = `/trust-registries/${ref}`
    refused(await world.call(team, 'PATCH', path, texts), [400, 404], `PATCH ${ref}`)
    refused(await world.call(team, 'POST', `${path}/participants`, {}), [400, 404], `POST ${ref}`)
    refused(await world.call(team, 'DELETE', `${path}/participants/${uuid}`), [400, 404], `DELETE ${ref}`)
    refused(await world.call(team, 'DELETE', path), [400, 404], `DELETE registry ${ref}`)
    for (const method of ['PUT', 'DELETE'])
      refused(
        await world.call(
          team,
          method,
          `${path}/schemas/https%3A%2F%2Fa.example%2Fb`,
          method === 'PUT' ? {} : undefined,
        ),
        [400, 404],
        `${method} schema ${ref}`,
      )
    refused(await world.call(undefined, 'GET', `${path}/public`), [400, 404], `public ${ref}`)
    refused(
      await world.call(undefined, 'GET', `${path}/verifiers?schemaId=https://a.example/b`),
      [400, 404],
      `verifiers ${ref}`,
    )
    for (const rest of ['', '/participants', `/participants/${uuid}`, '/schemas'])
      refused(await world.call(team, 'GET', `${path}${rest}`), [400, 404], `GET ${ref}${rest}`)
  }
  for (const id of [uuid, 'x', '0', '%00', `${uuid}x`])
    for (const method of ['GET', 'PATCH', 'DELETE'])
      refused(
        await world.call(
          team,
          method,
          `/trust-registries/${registry}/participants/${id}`,
          method === 'PATCH' ? {} : undefined,
        ),
        [400, 404],
        `${method} ${id}`,
      )
})

test('schemas of a registry are named by URI or hash, and open or closed', async () => {
  const before = await counts()
  const path = (schema: string) => `/trust-registries/${registry}/schemas/${encodeURIComponent(schema)}`
  for (const schema of ['x', '0x12', 'javascript:alert(1)', 'https://', '\u202e', 'a'.repeat(1500)]) {
    refused(await world.call(team, 'PUT', path(schema), { public: true }), [400], `PUT ${schema}`)
    refused(await world.call(team, 'DELETE', path(schema)), [400], `DELETE ${schema}`)
  }
  refused(await world.call(team, 'DELETE', path('https://a.example/b')), [404], 'DELETE unknown')
  for (const open of ['true', 1, {}])
    refused(await world.call(team, 'PUT', path('https://a.example/b'), { public: open }), [400], `public ${open}`)
  for (const ids of ['', ',', 'x', 'https://a.example/b,x', Array(300).fill('https://a.example/b').join(',')])
    refused(await world.call(team, 'GET', `/trust-registries/schema-dids?ids=${ids}`), [400], `ids ${ids.slice(0, 40)}`)
  expect(await counts()).toEqual(before)
})

test('a value that is none of those allowed is refused with their names', async () => {
  const path = `/trust-registries/${registry}/participants/${participant}`
  expect((await world.call(team, 'PATCH', path, { status: 'deleted' })).body.message).toBe(
    'status must be one of active, suspended; got "deleted"',
  )
})

test('queries refuse points, pages and filters that are none', async () => {
  const bad = [
    'at=-1',
    'at=yesterday',
    'at=2999-01-01T00:00:00Z',
    'at=1970-01-01T00:00:00Z',
    'at=99999999',
    'limit=0',
    'limit=65',
    'offset=-1',
    'offset=1.5',
    'limit=x',
    'schemaId=nonsense',
  ]
  for (const query of bad)
    refused(await world.call(team, 'GET', `/trust-registries/${registry}/participants?${query}`), [400], query)
  for (const query of bad.filter((text) => text.startsWith('at')))
    for (const path of ['', '/public', '/schemas', `/participants/${participant}`])
      refused(await world.call(team, 'GET', `/trust-registries/${registry}${path}?${query}`), [400], `${path} ${query}`)
  for (const body of [{ issuerDID: 'x' }, { verifierDID: 7 }, { schema: 'nonsense' }, { schemaId: {} }, { at: 'x' }])
    refused(await world.call(undefined, 'POST', '/trust-registries/query', body), [400], JSON.stringify(body))
})

test('all faults of a registry are told at once, whether its schema or a rule finds them', async () => {
  const bad = { convener: 'x', logoUrl: 'not', ecosystemUrl: 'ftp://x', description: 7, governanceFrameworkVersion: '' }
  const body = { ...TEXTS, name: ' ', ...bad }
  const answer = await world.call(team, 'POST', '/trust-registries', body)
  const problems: { path: string; message: string }[] = answer.body.problems
  expect(problems.map(({ path }) => path)).toEqual([
    '/description',
    '/governanceFrameworkVersion',
    '/convener',
    '/ecosystemUrl',
    '/logoUrl',
  ])
  expect(problems.at(-1)?.message).toBe('logoUrl must be an http or https URL; got "not"')
})

test('a bad information URL is told with all other faults', async () => {
  const pathsOf = ({ body }: Answer) => body.problems?.map(({ path }: { path: string }) => path)
  const infoUrl = 'ftp://example.org'
  const one = `/trust-registries/${registry}/participants/${participant}`
  expect(pathsOf(await world.call(team, 'POST', '/trust-registries/invitations/accept', { infoUrl, did: 7 }))).toEqual(
    expect.arrayContaining(['/did', '/infoUrl', '/token']),
  )
  const change = { infoUrl, reason: 'a\u0007', status: 'gone' }
  expect(pathsOf(await world.call(team, 'PATCH', one, change))).toEqual(['/status', '/infoUrl', '/reason'])
  expect(pathsOf(await world.call(team, 'PATCH', `${one}/info`, { infoUrl, infoURL: 'x' }))).toEqual([
    '/infoURL',
    '/infoUrl',
  ])
})
