import { beforeAll, expect, test } from 'vitest'
import { capabilities } from '../capabilities.js'
import { auditWorld, issuer, LAST, list, registry, SCHEMA_URI } from './testing.js'

/** The world has blocks of the first twelve seconds of 2026, and it is one minute past. */
const WRONG = {
  'before the first block': '2025-12-31T23:59:59.999Z',
  'long before': '0001-01-01T00:00:00Z',
  'in the future': '2026-01-01T00:01:02.001Z',
  'in a far future': '9999-12-31T23:59:59Z',
  'a block that is not there yet': String(LAST + 1),
  'the largest block': '4294967295',
  'no block at all': '99999999999',
  'a day': '2026-01-01',
  'no day of any month': '2026-02-30T00:00:00Z',
  'without an offset': '2026-01-01T00:00:05',
  'below the first block': '-1',
  'a fraction': '1.5',
  hexadecimal: '0x1',
  words: 'yesterday',
  'another script': '٥',
} as const

interface Operation {
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, { schema?: { properties?: Record<string, unknown> } }> }
  responses: Record<string, { content?: object }>
}

interface Question {
  what: string
  method: 'GET' | 'POST'
  /** What stands in its path, and what it needs besides. */
  url: string
  query: Record<string, string>
  body: Record<string, unknown> | undefined
}

/** Something for everything that a question needs. */
const GIVEN: Record<string, string> = {
  ...{ registryId: registry, did: issuer, issuerDID: issuer, schema: SCHEMA_URI },
  ...{ schemaId: SCHEMA_URI, role: 'issuer', from: '0', name: 'registriesIds', id: list, index: '1' },
  ...{ regId: list, revId: list, participantId: '00000000-0000-4000-8000-000000000000', issuerDid: issuer },
}
const BODY = { data: {}, did: issuer, filter: { schemaIds: { AnyOf: [] } } }

const world = auditWorld(capabilities)
let questions: Question[]

beforeAll(async () => {
  const { paths } = (await world.get('/openapi.json')).json()
  questions = Object.entries<Record<string, Operation>>(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => questionOf(path, method, operation) ?? []),
  )
})

/** Whatever takes a point in time, in its query or in its body. Pages for people take a day as well: their own test is about that. */
function questionOf(path: string, method: string, operation: Operation): Question | undefined {
  const { parameters = [], requestBody, responses } = operation
  if ('text/html' in (responses['200']?.content ?? {})) return undefined
  const inBody = Object.values(requestBody?.content ?? {}).some(({ schema }) => schema?.properties?.at !== undefined)
  if (!inBody && !parameters.some(({ name }) => name === 'at')) return undefined
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true)
  return {
    what: `${method} ${path}`,
    method: method === 'get' ? 'GET' : 'POST',
    url: path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(GIVEN[name] ?? '')),
    query: Object.fromEntries(needed.map(({ name }) => [name, GIVEN[name] ?? SCHEMA_URI])),
    body: inBody ? BODY : undefined,
  }
}

async function ask({ method, url, query, body }: Question, at: string) {
  const asked = new URLSearchParams({ ...query, ...(body === undefined && { at }) })
  const answer = await world.app.inject({
    method,
    url: `${url}?${asked}`,
    headers: { authorization: `Bearer ${world.apiKey}` },
    ...(body !== undefined && { payload: { ...body, at } }),
  })
  return { status: answer.statusCode, body: answer.json() }
}

interface Refusal {
  type?: string
  message?: string
  didResolutionMetadata?: { error: string; errorMessage: string }
}

/** Resolution of DIDs has a form of its own for refusals. */
function refusalOf({ type = '', message = '', didResolutionMetadata: told }: Refusal): [string, string] {
  return told === undefined ? [type, message] : [told.error, told.errorMessage]
}

test('every question about a point in time refuses one that is none, before its beginning or in the future', async () => {
  expect(questions.length).toBeGreaterThan(15)
  const wrong: string[] = []
  for (const question of questions)
    for (const [what, at] of Object.entries(WRONG)) {
      const { status, body } = await ask(question, at)
      const [type, message] = refusalOf(body)
      if (status !== 400 || !/^invalid/.test(type) || !/\bat\b/.test(message))
        wrong.push(`${question.what} ${what}: ${JSON.stringify(body)}`)
    }
  expect(wrong).toEqual([])
})

test('and none of them refuses the first block, the newest, or what lies between', async () => {
  for (const question of questions)
    for (const at of ['0', String(LAST), '2026-01-01T00:00:00Z', '2026-01-01T02:00:05+02:00', '2026-01-01T00:01:02Z']) {
      const { status, body } = await ask(question, at)
      expect(
        status === 400 && /\bat\b/.test(refusalOf(body)[1]),
        `${question.what} ${at}: ${JSON.stringify(body)}`,
      ).toBe(false)
      expect(status, `${question.what} ${at}: ${JSON.stringify(body)}`).toBeLessThan(500)
    }
})
