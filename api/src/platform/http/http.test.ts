import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { ERRORS } from '../errors.js'
import { appWithTeam } from '../testing/for-all-tests.js'
import { operation } from './operation.js'

const Note = Type.Object({
  text: Type.Optional(Type.String({ maxLength: 2_000_000 })),
  count: Type.Optional(Type.Integer()),
})

const describeNote = operation({
  method: 'POST',
  url: '/notes',
  operationId: 'createNote',
  tags: ['notes'],
  summary: 'Echo',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  body: Note,
  querystring: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 64, default: 64 }),
    name: Type.Optional(Type.String()),
  }),
  response: { 200: Type.Any() },
  handler: async (_ctx, { body, query }) => ({ body, query }),
})
const ledgerNote = operation({
  method: 'POST',
  url: '/ledger-notes',
  operationId: 'createLedgerNote',
  tags: ['notes'],
  summary: 'Echo',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  body: Note,
  response: { 200: Type.Any() },
  handler: async (_ctx, { body }) => ({ written: body }),
})
const getNote = operation({
  method: 'GET',
  url: '/notes/:note256',
  operationId: 'getNote',
  tags: ['notes'],
  summary: 'Echo',
  auth: 'public',
  tenancy: 'public',
  params: Type.Object({ note256: Type.String() }),
  response: { 200: Type.Any() },
  handler: async (_ctx, { params }) => params,
})
const storeText = operation({
  method: 'PUT',
  url: '/notes/:note256',
  operationId: 'storeNote',
  tags: ['notes'],
  summary: 'A statement that Postgres refuses',
  auth: 'key',
  role: 'administrator',
  tenancy: 'owned',
  body: Type.Object({ value: Type.Any() }),
  params: Type.Object({ note256: Type.String() }),
  response: { 200: Type.Any() },
  handler: async (ctx, { body }) =>
    ctx.db.read(ctx.scope, (reader) => reader.selectFrom('teams').select('id').where('id', '=', body.value).execute()),
})

const world = appWithTeam([{ operations: [describeNote, ledgerNote, getNote, storeText] }])

type Sent = { payload?: string | Buffer; headers?: Record<string, string>; url?: string; key?: string }
const post = ({ payload, headers, url = '/notes', key = world().team.apiKey }: Sent) =>
  world().app.inject({
    method: 'POST',
    url,
    headers: { 'svc-api-token': key, 'content-type': 'application/json', ...headers },
    ...(payload === undefined ? {} : { payload }),
  })

describe('every refusal has the one error body', () => {
  const deep = `${'['.repeat(3000)}${']'.repeat(3000)}`
  const cases: [string, Sent, number, string][] = [
    ['broken JSON', { payload: '{"text":' }, 400, 'invalid_request'],
    ['broken UTF-8', { payload: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) }, 400, 'invalid_request'],
    ['NUL in a text', { payload: '{"text":"a\\u0000b"}' }, 400, 'invalid_request'],
    ['NUL in an unknown member', { payload: '{"other":{"x":["\\u0000"]}}' }, 400, 'invalid_request'],
    ['half a surrogate pair', { payload: '{"text":"\\ud800"}' }, 400, 'invalid_request'],
    ['a poisoned prototype', { payload: '{"__proto__":{"a":1}}' }, 400, 'invalid_request'],
    ['a depth of 3,000', { payload: `{"x":${deep}}` }, 400, 'invalid_request'],
    ['10 MB', { payload: JSON.stringify({ text: 'x'.repeat(10_000_000) }) }, 413, 'payload_too_large'],
    ['a wrong type', { payload: '{"count":"7"}' }, 400, 'invalid_request'],
    ['an array instead of an object', { payload: '[1]' }, 400, 'invalid_request'],
    ['null', { payload: 'null' }, 400, 'invalid_request'],
    ['XML', { payload: '<a/>', headers: { 'content-type': 'application/xml' } }, 415, 'unsupported_media_type'],
    ['a limit beyond its range', { url: '/notes?limit=65' }, 400, 'invalid_request'],
    ['a limit that is no number', { url: '/notes?limit=a' }, 400, 'invalid_request'],
    ['NUL in the query', { url: '/notes?name=%00' }, 400, 'invalid_request'],
    ['a dry run of what writes nothing to the ledger', { url: '/notes?dryRun=true' }, 400, 'invalid_request'],
    ['no such path', { url: '/nothing' }, 404, 'not_found'],
  ]
  test.each(cases)('%s', async (_name, sent, status, type) => {
    const answer = await post(sent)
    const { problems, ...body } = answer.json()
    expect(body).toEqual({ status, type, message: expect.any(String) })
    if (problems) expect(problems[0].message).toBe(body.message)
    expect(answer.statusCode).toBe(status)
    expect(answer.body).not.toMatch(/node_modules|at .*\.ts/)
  })

  test.each([
    'dryRun=',
    'dryRun',
    'dryRun=undefined',
    'dryRun=1',
    'dryRun=True',
    'dryRun=true%20',
    'dryRun=perhaps',
    'dryrun=true',
    'DRYRUN=true',
    'dryrun=false',
    'dry_run=true',
    'dry-run=',
    'dryRun[]=true',
    '%20dryRun=true',
    'dryRun=true&dryRun=true',
    'dryRun=false&dryRun=false',
    'dryRun=true&dryrun=false',
    'dryRun=false&dryrun=true',
  ])('a dry run asked for with ?%s writes nothing', async (query) => {
    const answer = await post({ url: `/ledger-notes?${query}`, payload: '{}' })
    expect(answer.json()).toEqual({
      status: 400,
      type: 'invalid_request',
      message: expect.stringMatching(/^dryRun must/),
    })
  })

  test.each(['dryRun', 'dryrun', 'DryRun', 'dry_run'])('nor asked for with the member %s', async (name) => {
    for (const value of [true, false, 'true', null]) {
      const answer = await post({ url: '/ledger-notes', payload: JSON.stringify({ [name]: value }) })
      const message = expect.stringMatching(/query parameter/)
      expect(answer.json()).toEqual({ status: 400, type: 'invalid_request', message })
    }
  })

  test('a request without a dry run writes', async () => {
    for (const query of ['', '?dryRun=false', '?=&x=undefined']) {
      const answer = await post({ url: `/ledger-notes${query}`, payload: '{"text":"dryRun"}' })
      expect(answer.json(), query).toEqual({ written: { text: 'dryRun' } })
    }
  })

  test('a known path with another method is 405 and says which are allowed', async () => {
    const answer = await world().app.inject({ method: 'DELETE', url: '/notes/' })
    expect([answer.statusCode, answer.json().type, answer.headers.allow]).toEqual([405, 'method_not_allowed', 'POST'])
  })

  test('a path that does not decode is 400', async () => {
    const answer = await world().app.inject({ url: '/notes/%E0%A4%A' })
    expect(answer.json()).toMatchObject({ status: 400, type: 'invalid_request' })
  })

  test.each([['text'], [{}], [1e300], [-1.5], ['9'.repeat(400)]])(
    'a value that Postgres refuses is 400: %j',
    async (value) => {
      const answer = await world().app.inject({
        method: 'PUT',
        url: '/notes/x',
        headers: { 'svc-api-token': world().team.apiKey },
        payload: { value },
      })
      expect(answer.json()).toMatchObject({ status: 400, type: 'invalid_request' })
    },
  )
})

test('a refusal names all faults at once: members, parameters and unknown names', async () => {
  const sent = { payload: '{"cuont":1,"count":"7","text":false}', url: '/notes?limit=65&nmae=x' }
  const { type, problems } = (await post(sent)).json()
  expect(type).toBe('unknown_member')
  expect(problems).toEqual([
    { path: '?nmae', message: 'There is no parameter nmae: did you mean name?' },
    { path: '/cuont', message: 'There is no member cuont: did you mean count?' },
    { path: '/count', message: 'count must be a whole number; got "7"' },
    { path: '/text', message: 'text must be a text of at most 2,000,000 characters; got false' },
    { path: '?limit', message: 'limit must be a whole number from 1 to 64; got 65' },
  ])
})

test('a body that is too large is told how large it may be', async () => {
  const sent = (bytes: number) => ({ payload: `{"text":"${'x'.repeat(bytes - 11)}"}` })
  for (const [bytes, status] of [
    [1_048_575, 200],
    [1_048_576, 200],
    [1_048_577, 413],
  ] as const) {
    const answer = await post(sent(bytes))
    expect(answer.statusCode).toBe(status)
    if (status === 413) expect(answer.json().message).toBe('The body has more than 1,048,576 bytes')
  }
})

test('a client that sends 10 MB hears the refusal, and its connection stays', async () => {
  const url = await world().app.listen({ host: '127.0.0.1', port: 0 })
  for (const length of [10_000_000, 20]) {
    const answer = await fetch(`${url}/notes`, {
      method: 'POST',
      headers: { 'svc-api-token': world().team.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'x'.repeat(length) }),
    })
    expect(answer.status).toBe(length === 20 ? 200 : 413)
    expect(answer.headers.get('connection')).not.toBe('close')
    await answer.text()
  }
})

describe('clumsy clients are understood', () => {
  test('an empty body with a JSON content type is an empty object, and the trailing slash is ignored', async () => {
    for (const sent of [{}, { payload: '' }, { payload: ' \n' }, { url: '/notes/' }])
      expect((await post(sent)).json()).toEqual({ body: {}, query: { limit: 64 } })
  })
  test('unknown members are ignored and named; numbers in queries are read', async () => {
    const answer = await post({ payload: '{"keytype":"x"}', url: '/notes?=&=&limit=3&x=' })
    expect(answer.json()).toEqual({ body: { keytype: 'x' }, query: { limit: 3, x: '' } })
    expect(answer.headers['accredit-ignored']).toBe('?x, /keytype')
  })
  test('an inexact number in a query is refused, together with all other faults', async () => {
    const answer = await post({ payload: '{"text":1}', url: '/notes?limit=3.00000000000000000001' })
    expect([answer.statusCode, answer.json().problems[0].path]).toEqual([400, '?limit'])
    expect((await post({ url: '/notes?limit=3.0' })).json()).toMatchObject({ query: { limit: 3 } })
  })
  test('an id may be a URI, encoded or raw, longer than 100 characters', async () => {
    const uri = `https://h.example/${'a'.repeat(200)}//b.json`
    for (const id of [uri, encodeURIComponent(uri)])
      expect((await world().app.inject({ url: `/notes/${id}` })).json()).toEqual({ note256: uri })
    expect((await world().app.inject({ url: '/notes/did:svc:abc' })).json()).toEqual({ note256: 'did:svc:abc' })
  })
  test('a raw URI that may be another one is refused, and the refusal says how to write it', async () => {
    const uri = 'https://h.example/r%2Fs'
    for (const raw of [uri, 'https://h.example/x?student=1', 'https://h.example/x/']) {
      const answer = await world().app.inject({ url: `/notes/${raw}` })
      expect([answer.statusCode, answer.json().type, answer.json().detail ?? answer.body]).toEqual([
        400,
        'invalid_request',
        expect.stringContaining('Percent-encode all of it'),
      ])
    }
    expect((await world().app.inject({ url: `/notes/${encodeURIComponent(uri)}` })).json()).toEqual({ note256: uri })
  })
  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])('browsers may %s', async (method) => {
    const { headers } = await world().app.inject({
      method: 'OPTIONS',
      url: '/notes',
      headers: { origin: 'https://x.example', 'access-control-request-method': method },
    })
    expect(String(headers['access-control-allow-methods']).split(', ')).toContain(method)
  })
  test('browsers may call from anywhere and read our headers', async () => {
    const preflight = await world().app.inject({
      method: 'OPTIONS',
      url: '/notes',
      headers: {
        origin: 'https://x.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'svc-api-token',
      },
    })
    expect([preflight.statusCode, preflight.headers['access-control-allow-origin']]).toEqual([204, '*'])
    const answer = await world().app.inject({ url: '/notes/1', headers: { origin: 'https://x.example' } })
    for (const name of ['Accredit-Block', 'Accredit-Stale'])
      expect(answer.headers['access-control-expose-headers']).toContain(name)
  })
})

describe('plain HTTP', () => {
  const from = (address: string, proto: string) =>
    world().app.inject({ url: '/notes/1', headers: { 'x-forwarded-proto': proto, 'x-forwarded-for': address } })
  test('is refused when it reached the proxy from elsewhere', async () => {
    expect((await from('203.0.113.5', 'http')).statusCode).toBe(400)
    expect((await from('203.0.113.5', 'https')).statusCode).toBe(200)
    expect((await from('127.0.0.1', 'http')).statusCode).toBe(200)
  })
})

describe('the service tells about itself', () => {
  test('health, metrics, docs and OpenAPI need no key', async () => {
    expect((await world().app.inject({ url: '/health' })).json()).toEqual({ status: 'ok' })
    const metrics = (await world().app.inject({ url: '/metrics' })).body
    expect(metrics).toContain('accredit_http_request_seconds_bucket')
    expect(metrics).toMatch(/^accredit_fee_account_poor nan$/im)
    const errors = await world().app.inject({ url: '/docs/errors' })
    for (const [type, [status]] of Object.entries(ERRORS))
      expect(errors.body).toContain(`<dt id="${type}"><code>${type}</code> <span class="note">${status}</span>`)
  })
  test.each([
    ['this machine', {}, true],
    ['a private network behind our proxy', { 'x-forwarded-for': '10.1.2.3' }, true],
    ['its first address', { 'x-forwarded-for': '172.16.0.0' }, true],
    ['its last address', { 'x-forwarded-for': '172.31.255.255' }, true],
    ['an IPv4 address in IPv6 clothes', { 'x-forwarded-for': '::ffff:192.168.0.7' }, true],
    ['a unique local address', { 'x-forwarded-for': 'fd00::1' }, true],
    ['one before the private network', { 'x-forwarded-for': '172.15.255.255' }, false],
    ['one past the private network', { 'x-forwarded-for': '172.32.0.0' }, false],
    ['elsewhere', { 'x-forwarded-for': '203.0.113.5' }, false],
    ['elsewhere, who says to be here', { 'x-forwarded-for': '127.0.0.1, 203.0.113.5' }, false],
    ['nonsense', { 'x-forwarded-for': 'here' }, false],
    ['a proxy that does not say for whom it asks', { via: '1.1 proxy' }, false],
    ['a proxy that says it in another way', { forwarded: 'for=203.0.113.5' }, false],
  ])('metrics and reasons are for monitors: %s', async (_who, headers, isMonitor) => {
    const { app } = world()
    const [metrics, ready, health] = [
      await app.inject({ url: '/metrics', headers }),
      await app.inject({ url: '/ready', headers }),
      await app.inject({ url: '/health', headers }),
    ]
    expect(metrics.statusCode).toBe(isMonitor ? 200 : 403)
    expect([ready.statusCode, 'checks' in ready.json()]).toEqual([503, isMonitor])
    expect(ready.json()).toMatchObject({ ready: false, type: 'unavailable' })
    expect(health.json()).toEqual({ status: 'ok' })
  })
  test('a private address behind an untrusted proxy is no monitor', async () => {
    const { app } = world()
    const headers = { 'x-forwarded-for': '10.1.2.3' }
    const by = (remoteAddress: string) => app.inject({ url: '/metrics', headers, remoteAddress })
    expect([(await by('127.0.0.1')).statusCode, (await by('192.168.0.1')).statusCode]).toEqual([200, 403])
    const { statusCode } = await app.inject({ url: '/metrics', remoteAddress: '192.168.0.1' })
    expect(statusCode).toBe(200)
  })
  test('not ready without its neighbours, and says which one', async () => {
    const answer = await world().app.inject({ url: '/ready' })
    expect(answer.json()).toMatchObject({ status: 503, checks: { database: 'ok', signer: 'It does not answer' } })
  })
  test('the OpenAPI document is made from the schemas that validate', async () => {
    const { paths, openapi } = (await world().app.inject({ url: '/openapi.json' })).json()
    expect(openapi).toBe('3.1.0')
    expect(paths['/notes'].post).toMatchObject({
      operationId: 'createNote',
      'x-tenancy': 'owned',
      requestBody: { content: { 'application/json': { schema: { properties: { count: { type: 'integer' } } } } } },
      responses: { 401: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } } },
    })
    expect(paths['/notes/{note256}'].get).toMatchObject({
      security: [],
      parameters: [{ name: 'note256', in: 'path', required: true }],
    })
    expect(paths['/notes/{note256}'].put['x-role']).toBe('administrator')
  })
})
