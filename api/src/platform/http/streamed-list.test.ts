import { type Static, Type } from 'typebox'
import { expect, test } from 'vitest'
import { invalid } from '../errors.js'
import { appWithTeam } from '../testing/for-all-tests.js'
import { operation } from './operation.js'
import { csvLine, LIST_TYPES, streamedList, wantedStream } from './streamed-list.js'

const STREAMS = 3
const asked = { chunks: 0, ended: 0 }
/** Lets the callers go on that were told to wait. */
let go = () => {}

async function* numbers(count: number, waits: boolean) {
  try {
    for (let n = 0; n < count; n += 2) {
      asked.chunks += 1
      if (waits && n > 0) await new Promise<void>((resolve) => (go = resolve))
      yield [n, n + 1].filter((one) => one < count).map((one) => ({ n: one, text: `=${one}` }))
    }
  } finally {
    asked.ended += 1
  }
}

const Row = Type.Object({ n: Type.Integer(), text: Type.String() })
const listNumbers = operation({
  method: 'GET',
  url: '/numbers',
  operationId: 'listNumbers',
  tags: ['numbers'],
  summary: 'Numbers',
  auth: 'key',
  role: 'member',
  tenancy: 'public',
  querystring: Type.Object({
    count: Type.Integer(),
    limit: Type.Optional(Type.Integer()),
    waits: Type.Optional(Type.Boolean()),
    fails: Type.Optional(Type.Boolean()),
  }),
  response: { 200: Type.Any() },
  mediaTypes: LIST_TYPES,
  limits: { streamsPerAddress: STREAMS },
  handler: async (ctx, { query: { count, limit, waits = false, fails } }) => {
    const stream = wantedStream(ctx, { limit })
    if (stream === undefined) return []
    // biome-ignore lint/correctness/useYield: it fails before it has anything
    const failing = async function* (): AsyncGenerator<Static<typeof Row>[]> {
      throw invalid('It cannot begin')
    }
    const chunks = fails ? failing() : numbers(count, waits)
    return streamedList(ctx, stream, { columns: ['n', 'text'], chunks })
  },
})

const world = appWithTeam([{ operations: [listNumbers] }])
const get = (query: string, accept: string) => {
  const { app, team } = world()
  return app.inject({ url: `/numbers?${query}`, headers: { accept, 'svc-api-token': team.apiKey } })
}

test.each([0, 1, 2, 3, 4, 5])('a list of %i rows is told whole, however it falls into pieces', async (count) => {
  const all = Array.from({ length: count }, (_, n) => ({ n, text: `=${n}` }))
  const ndjson = await get(`count=${count}`, 'application/x-ndjson')
  expect(ndjson.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
  expect(ndjson.body).toBe(all.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const csv = await get(`count=${count}`, 'text/csv')
  expect(csv.body).toBe(['n,text', ...all.map(({ n, text }) => `${n},'${text}`)].map((line) => `${line}\r\n`).join(''))
  expect(csv.headers.vary).toContain('Accept')
})

test('a stream that fails before its first rows is refused like a page, and so is a parameter of pages', async () => {
  for (const query of ['count=5&fails=true', 'count=5&limit=2']) {
    const answer = await get(query, 'text/csv')
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'invalid_request'])
  }
  expect((await get('count=5&limit=2', 'application/json')).statusCode).toBe(200)
})

test('no more is read than somebody takes, and what is left early is let go', async () => {
  const before = { ...asked }
  const reply = { header: () => {}, type: () => {}, keepWhile: () => {} }
  const stream = await streamedList({ reply }, 'application/x-ndjson', {
    columns: ['n'],
    chunks: numbers(100_000, false),
  })
  for await (const line of stream) {
    expect(line).toContain('"n":0')
    break
  }
  // The stream has read as much as it keeps ready, and not fifty thousand rows.
  expect(asked.chunks - before.chunks).toBeLessThan(100)
  expect(asked.ended - before.ended).toBe(1)
})

test.each(LIST_TYPES)('HEAD answers with the headers of %s, and nothing more is read', async (accept) => {
  const before = { ...asked }
  const { app, team } = world()
  const headers = { accept, 'svc-api-token': team.apiKey }
  const head = await app.inject({ method: 'HEAD', url: '/numbers?count=100000', headers })
  expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([200, '', `${accept}; charset=utf-8`])
  const begun = accept === 'application/json' ? 0 : 1
  await expect.poll(() => asked.ended - before.ended).toBe(begun)
  expect(asked.chunks - before.chunks).toBe(begun)
})

test(`an address has ${STREAMS} streams at once, and pages besides`, async () => {
  const waiting: (() => void)[] = []
  const begin = async () => {
    const before = asked.chunks
    const answer = get('count=4&waits=true', 'text/csv')
    await expect.poll(() => asked.chunks - before).toBe(2)
    waiting.push(go)
    return { answer }
  }
  const running = [await begin(), await begin(), await begin()]
  expect((await get('count=4', 'text/csv')).statusCode).toBe(429)
  expect((await get('count=4', 'application/json')).statusCode).toBe(200)
  waiting[0]?.()
  expect((await running[0]?.answer)?.statusCode).toBe(200)
  expect((await get('count=4', 'text/csv')).statusCode).toBe(200)
  for (const proceed of waiting) proceed()
  for (const { answer } of running) expect((await answer).statusCode).toBe(200)
})

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@x', "'@x"],
  ['＝1', "'＝1"],
  ['\tx', "'\tx"],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  [null, ''],
  [undefined, ''],
  [false, 'false'],
  [['=a'], '"[""=a""]"'],
])('the cell of %j', (value, cell) => {
  expect(csvLine([value])).toBe(`${cell}\r\n`)
})
