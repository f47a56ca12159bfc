import { beforeAll, expect, test } from 'vitest'
import { inTurn } from '../../../test/support/in-turn.js'
import { NO_DATES } from '../ledger/testing/dates.js'
import { allServed } from '../platform/testing/all-served.js'
import { auditWorld, issuer, LAST, list, registry, SCHEMA_URI } from './testing.js'

/** The world has blocks of the first twelve seconds of 2026, and its clock is at one minute past. */
const WRONG = Object.entries({
  'before the first block': '2025-12-31T23:59:59.999Z',
  'in the future': '2026-01-01T00:01:02.001Z',
  'a block that is not there yet': String(LAST + 1),
  words: 'yesterday',
})
const READ_BY_ONE_PARSER = Object.entries({
  'long before': '0001-01-01T00:00:00Z',
  'in a far future': '9999-12-31T23:59:59Z',
  'the largest block': '4294967295',
  'no block at all': '99999999999',
  'a day that has not ended': '2026-01-01',
  'no day of any month': '2026-02-30T00:00:00Z',
  'without an offset': '2026-01-01T00:00:05',
  'below the first block': '-1',
  'a fraction': '1.5',
  hexadecimal: '0x1',
  'another script': '٥',
})

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; description?: string }[]
  requestBody?: { content: Record<string, { schema?: { properties?: Record<string, unknown> } }> }
  responses: Record<string, { content?: object }>
}

interface Question {
  what: string
  method: 'GET' | 'POST'
  /** The path, and the further parameters that it needs. */
  url: string
  query: Record<string, string>
  body: Record<string, unknown> | undefined
}

/** A value for everything that a question needs. */
const GIVEN: Record<string, string> = {
  registryId: registry,
  did: issuer,
  issuerDID: issuer,
  schema: SCHEMA_URI,
  schemaId: SCHEMA_URI,
  role: 'issuer',
  from: '0',
  name: 'registriesIds',
  id: list,
  index: '1',
  keyNumber: '1',
  regId: list,
  revId: list,
  participantId: '00000000-0000-4000-8000-000000000000',
  issuerDid: issuer,
}
/** The parameters of paths that are numbers there. */
const NUMBERED: Record<string, string> = { '/subaccounts/{id}/usage': '1' }
const BODY: Record<string, unknown> = { data: {}, filter: { schemaIds: { AnyOf: [] } } }

const world = auditWorld(allServed)
let questions: Question[]

beforeAll(async () => {
  const { paths } = (await world.get('/openapi.json')).json()
  questions = Object.entries<Record<string, Operation>>(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => questionOf(path, method, operation) ?? []),
  )
})

/**
 * Returns a question for an operation that takes a point in time, in its query or in its body. Pages for people take a
 * day as well: their own test is about that.
 */
function questionOf(path: string, method: string, operation: Operation): Question | undefined {
  const { parameters = [], requestBody, responses } = operation
  if ('text/html' in (responses['200']?.content ?? {})) return undefined
  const members = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
    Object.keys(schema?.properties ?? {}),
  )
  const inBody = members.includes('at')
  if (!inBody && !parameters.some(({ name }) => name === 'at')) return undefined
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true)
  return {
    what: `${method} ${path}`,
    method: method === 'get' ? 'GET' : 'POST',
    url: path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(GIVEN[name] ?? '')),
    query: Object.fromEntries(needed.map(({ name }) => [name, GIVEN[name] ?? SCHEMA_URI])),
    body: inBody ? Object.fromEntries(Object.entries(BODY).filter(([name]) => members.includes(name))) : undefined,
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
  for (const [n, question] of questions.entries())
    for (const [what, at] of [...WRONG, ...inTurn(READ_BY_ONE_PARSER, n, 3)]) {
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
      // The signer, which gives proofs, is not there.
      const isProof = question.url.endsWith('/proof') && at !== '0' && !at.startsWith('2026-01-01T00:00:00')
      if (isProof) expect([status, body.type]).toEqual([503, 'ledger_unavailable'])
      else expect(status, `${question.what} ${at}: ${JSON.stringify(body)}`).toBeLessThan(500)
    }
})

/** The parameters that are points in time or bounds of them, by their names. */
const POINTS = new Set(['at', 'from', 'to', 'until', 'versionTime', 'startTime', 'endTime'])
/** Any text is compared with what is shown. */
const FREE_TEXT = new Set(['filter'])

interface Place {
  what: string
  /** Asks with a text in this place. */
  ask(text: string): Promise<{ statusCode: number; body: string }>
}

const post = (url: string, payload: object) =>
  world.app.inject({ method: 'POST', url, headers: { authorization: `Bearer ${world.apiKey}` }, payload })

const credentialWith = (member: string, date: string) =>
  post('/credentials', { credential: { subject: { degree: 'M.Sc.' }, [member]: date } })

/** Places of a body that hold a date which the schema does not declare. */
const IN_BODIES: Place[] = [
  { what: 'POST /verify at', ask: (at) => post('/verify', { data: { '@context': [] }, at }) },
  ...['authorization', 'recognition'].map((path) => ({
    what: `POST /trqp/${path} context.time`,
    ask: (time: string) =>
      post(`/trqp/${path}`, {
        entity_id: issuer,
        authority_id: registry,
        action: 'issue',
        resource: SCHEMA_URI,
        context: { time },
      }),
  })),
  ...['events(filter: { from: "_" })', 'events(filter: { to: "_" })', 'events(at: "_")'].map((field) => ({
    what: `POST /graphql ${field}`,
    ask: (date: string) => post('/graphql', { query: `{ ${field.replace('_', date)} { nodes { id } } }` }),
  })),
  ...['issuanceDate', 'expirationDate', 'validFrom', 'validUntil'].map((member) => ({
    what: `POST /credentials ${member}`,
    ask: (date: string) => credentialWith(member, date),
  })),
]

async function placesInQueries(): Promise<Place[]> {
  const { paths } = (await world.get('/openapi.json')).json()
  return Object.entries<Record<string, Operation>>(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], responses }]) => {
      // A date picker of a page sends no time zone.
      if ('text/html' in (responses['200']?.content ?? {})) return []
      const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(NUMBERED[path] ?? GIVEN[name] ?? ''))
      const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true)
      const given = Object.fromEntries(needed.map(({ name }) => [name, GIVEN[name] ?? SCHEMA_URI]))
      return parameters
        .filter(({ name }) => POINTS.has(name))
        .map(({ name }) => ({
          what: `${method} ${path} ${name}`,
          ask: (text: string) =>
            world.app.inject({
              method: 'GET',
              url: `${url}?${new URLSearchParams({ ...given, [name]: text })}`,
              headers: { authorization: `Bearer ${world.apiKey}` },
            }),
        }))
    }),
  )
}

/** Texts that are common at all places, and of the others a few at each: all places have one parser. */
const someNoDates = (place: number): [string, string][] => {
  const { 'a local date': local, 'a day that does not exist': day, 'without a zone': zoneless, ...others } = NO_DATES
  const some = Object.entries(others).filter((_, n) => n % 8 === place % 8)
  return [...Object.entries({ local, day, zoneless }), ...some]
}

test('every date from outside is of ISO 8601, has a time zone or is a full date, and exists', async () => {
  const places = [...(await placesInQueries()), ...IN_BODIES]
  expect(places.length).toBeGreaterThan(30)
  const wrong: string[] = []
  for (const [place, { what, ask }] of places.entries())
    for (const [kind, text] of someNoDates(place)) {
      const { statusCode, body } = await ask(text)
      const isRefused = what.startsWith('POST /graphql') ? /"status":400/.test(body) : statusCode === 400
      if (!isRefused) wrong.push(`${what} ${kind}: ${statusCode} ${body.slice(0, 200)}`)
    }
  expect(wrong).toEqual([])
})

test('the list has every parameter that takes a date', async () => {
  const { paths } = (await world.get('/openapi.json')).json()
  const dates = Object.values<Record<string, Operation>>(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ parameters = [] }) =>
      parameters.filter(({ description = '' }) => /\b(instant|ISO 8601|date|day)\b/i.test(description)),
    ),
  )
  expect(
    [...new Set(dates.map(({ name }) => name))].filter((name) => !POINTS.has(name) && !FREE_TEXT.has(name)),
  ).toEqual([])
})

test('a credential without an issuer keeps the dates that exist, a full date as its midnight in UTC', async () => {
  for (const [given, kept] of [
    ['2027-02-28', '2027-02-28T00:00:00Z'],
    ['2027-02-28T12:00:00+14:00', '2027-02-28T12:00:00+14:00'],
  ] as const)
    for (const member of ['issuanceDate', 'expirationDate', 'validFrom', 'validUntil'])
      expect((await credentialWith(member, given)).json()[member]).toBe(kept)
})
