import { afterAll, beforeAll, expect, test } from 'vitest'
import { goodRequests } from '../../test/support/good-requests.js'
import { peopleOf } from '../../test/support/people.js'
import { requestsWith } from '../../test/support/requests.js'
import { degree, pathOf, TestService } from './credentials/loop.testing.js'
import type { Operation } from './platform/http/operation.js'
import { allServed } from './platform/testing/all-served.js'
import { testTeam } from './platform/testing/scratch-database.js'

/** The schema of a body or a query in the reference. */
interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  then?: Schema
  else?: Schema
}

const formsOf = (schema: Schema): Schema[] => {
  const others = [...(schema.anyOf ?? []), schema.then, schema.else].filter((form) => form !== undefined)
  return [schema, ...others.flatMap(formsOf)]
}

/** The members that a schema declares in an object of this place, in any of its forms. */
function membersOf(schema: Schema): Map<string, Schema> {
  return new Map(formsOf(schema).flatMap(({ properties = {} }) => Object.entries(properties)))
}

const itemsOf = (schema: Schema): Schema | undefined => formsOf(schema).find(({ items }) => items)?.items

/** `rows[].did` */
function declaredIn(schema: Schema, place = ''): string[] {
  const items = itemsOf(schema)
  return [
    ...(items ? declaredIn(items, `${place}[]`) : []),
    ...[...membersOf(schema)].flatMap(([name, member]) => {
      const path = place === '' ? name : `${place}.${name}`
      return [path, ...declaredIn(member, path)]
    }),
  ]
}

/** Returns the same value, and remembers the declared members that were looked at. */
function watched(schema: Schema, value: unknown, read: Set<string>, place = ''): unknown {
  const items = itemsOf(schema)
  if (items && Array.isArray(value)) return value.map((item) => watched(items, item, read, `${place}[]`))
  const members = membersOf(schema)
  if (members.size === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const pathTo = (name: string | symbol) => (place === '' ? String(name) : `${place}.${String(name)}`)
  const inside = Object.entries(value).map(([name, member]) => {
    const inner = members.get(name)
    return [name, inner ? watched(inner, member, read, pathTo(name)) : member]
  })
  const look = (name: string | symbol) => read.add(pathTo(name))
  return new Proxy(Object.fromEntries(inside), {
    get: (target, name) => look(name) && Reflect.get(target, name),
    has: (target, name) => look(name) && Reflect.has(target, name),
  })
}

/** The members of bodies and queries that the handlers of operations looked at. */
const looks = new Map<string, { body: Set<string>; query: Set<string> }>()

function watching(op: Operation): Operation {
  const look = { body: new Set<string>(), query: new Set<string>() }
  looks.set(op.operationId, look)
  const handler: Operation['handler'] = (ctx, { body, query, params }) =>
    op.handler(ctx, {
      body: watched(op.body ?? {}, body, look.body),
      query: watched(op.querystring ?? {}, query, look.query),
      params,
    })
  return READ_ELSEWHERE.has(op.operationId) ? op : { ...op, handler }
}

/** Another thread reads it, which a test cannot look into. */
const READ_ELSEWHERE = new Set(['addParticipants', 'issueBatch'])

const operations = allServed.flatMap(({ operations }) => operations)
/** Routes of a standard ignore what they do not use, and a wallet signs what it sends, so that all of it is compared. */
const writing = operations.filter(
  ({ method, operationId, input, auth }) =>
    method !== 'GET' && input !== 'standard' && auth !== 'sponsor' && !READ_ELSEWHERE.has(operationId),
)

/** Operations that change nothing of the caller's team: they leave no row in its audit. */
const CHANGES_NOTHING_OF_A_TEAM = [
  'createSignInLink',
  'prepareLedgerAction',
  'queryLedger',
  'queryTrustRegistries',
  'snoozeInvitation',
  'verifyCredential',
]

/** Declared so that clients of the field may send it; its description says that it is not kept. */
const IGNORED = new Set(['deleteAccount reason'])

const lastAuditRow = () =>
  service.scratch.db.read('system', async (reader) => {
    const { last } = await reader
      .selectFrom('audit')
      .select((all) => all.fn.max('id').as('last'))
      .executeTakeFirstOrThrow()
    return last
  })

let service: TestService
beforeAll(async () => {
  service = await TestService.open(allServed.map((part) => ({ ...part, operations: part.operations.map(watching) })))
})
afterAll(() => service.close())

test('each declared member of a body or a query is looked at by somebody, and each change is a row of the audit, when the request is a good one', async () => {
  const { apiKey } = service.team
  const apiUrl = await service.app.listen({ port: 0 })
  const people = await peopleOf(service.scratch.adminUrl, apiKey)
  const good = await goodRequests(apiUrl, apiKey, people)
  const request = requestsWith(apiKey, apiUrl, people.newSession)
  const unaudited: string[] = []
  for (const { operationId, method } of writing)
    for (const body of good[operationId]?.bodies ?? []) {
      const { path = '' } = good[operationId] ?? {}
      const before = await lastAuditRow()
      const { status, body: answer } = await request(method, path, body)
      const isTried = path.includes('dryRun=true') || status !== 200
      if (!isTried && (await lastAuditRow()) === before && !unaudited.includes(operationId)) unaudited.push(operationId)
      expect([200, ...(operationId.startsWith('importDid') ? [409] : [])], JSON.stringify(answer)).toContain(status)
    }
  expect(unaudited.sort()).toEqual(CHANGES_NOTHING_OF_A_TEAM)
  const did = await service.did()
  const { body: credential } = await service.issue({ issuer: did, subject: degree })
  const price = good.setSchemaPrice?.path ?? ''
  const deletions = [
    { path: `/dids/${did}?dryRun=true`, status: 200 },
    { path: pathOf(credential.id), status: 200 },
    { path: `/teams/${people.team}/members/${people.members[1]}`, status: 200 },
    { path: '/auth/sessions', status: 200 },
    // The dry run made nothing, so the thing is not there.
    { path: `${price}&currency=EUR`, status: 404 },
  ]
  for (const { path, status } of deletions) expect(await request('DELETE', path), path).toMatchObject({ status })
  for (const path of ['/data/delete', '/data/accountdelete']) {
    const ending = requestsWith((await testTeam(service.scratch.db)).apiKey, apiUrl)
    const body = { validation: 'Test team', reason: 'Enough' }
    expect(await ending('POST', path, body), path).toMatchObject({ status: 200 })
  }

  const unread = writing.flatMap(({ operationId, body = {}, querystring = {} }) => [
    ...declaredIn(body).flatMap((path) => (looks.get(operationId)?.body.has(path) ? [] : [`${operationId} ${path}`])),
    ...declaredIn(querystring).flatMap((path) =>
      looks.get(operationId)?.query.has(path) ? [] : [`${operationId} ?${path}`],
    ),
  ])
  expect(unread.filter((place) => !IGNORED.has(place))).toEqual([])
})
