import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import type { Environment } from '../../platform/http/context.js'
import { allServed } from '../../platform/testing/all-served.js'
import { degree, TestService } from '../loop.testing.js'

let service: TestService
let issuer: string
/** A second key of the team. */
let otherKey: string
const apps: FastifyInstance[] = []

beforeAll(async () => {
  service = await TestService.open()
  issuer = await service.did()
  otherKey = (await service.call('POST', '/keys', {})).body.jwt
  expect((await service.call('POST', '/credentials', { credential: credential(issuer), revocable: true })).status).toBe(
    200,
  )
})
afterAll(async () => {
  for (const app of apps) await app.close()
  await service.close()
})

const credential = (of: string) => ({ subject: degree, issuer: of })

/**
 * Issues credentials that are all signed before the first of them is stored; no more than one caller has in work at once.
 * @param beforeStoring runs when all are signed
 */
async function issueTogether(
  names: readonly string[],
  given: Partial<Environment> = {},
  beforeStoring: () => Promise<unknown> = async () => undefined,
) {
  const { signer } = service.loop.environment
  let signed = 0
  let open = (): void => undefined
  const allSigned = new Promise<void>((resolve) => {
    open = resolve
  }).then(beforeStoring)
  const sign: typeof signer.sign = async (items) => {
    const signatures = await signer.sign(items)
    signed += items.length
    if (signed >= names.length) open()
    await allSigned
    return signatures
  }
  const environment = { ...service.loop.environment, signer: Object.assign(Object.create(signer), { sign }), ...given }
  const app = await buildApp(environment, allServed)
  apps.push(app)
  return Promise.all(
    names.map((name, index) =>
      app.inject({
        method: 'POST',
        url: '/credentials',
        headers: { 'svc-api-token': index % 2 === 0 ? service.team.apiKey : otherKey, 'idempotency-key': name },
        payload: { credential: credential(issuer), revocable: true },
      }),
    ),
  )
}

const namesOf = (what: string, count: number) => Array.from({ length: count }, (_, i) => `${what}-${i}`)
const rowsOf = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
  (await service.scratch.db.read('system', (reader) => statement.execute(reader))).rows

test('credentials of one moment are stored in one transaction, and each leaves its own rows once', async () => {
  const [before] = await rowsOf(sql<{ events: number }>`select count(*)::int as events from outgoing_events`)
  const names = namesOf('together', 4)
  const answers = await issueTogether(names)
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(names.map(() => 200))
  const ids: string[] = answers.map((answer) => answer.json().id)
  const rows = await rowsOf(sql<{ id: string; index: number; xmin: string }>`
    select id, status_index as index, xmin::text from credentials where id = any(${ids})`)
  expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(new Set(rows.map(({ xmin }) => xmin)).size).toBeLessThan(ids.length)
  const places = await rowsOf(sql<{ index: number }>`
    select e.index from status_entries e join credentials c on c.registry_id = e.registry_id and c.status_index = e.index
    where c.id = any(${ids})`)
  expect(places).toHaveLength(ids.length)
  const audited = await rowsOf(sql<{ id: string; request: string; actor: string }>`
    select subject as id, request_id as request, actor from audit
    where action = 'issueCredential' and subject = any(${ids})`)
  const requests = new Map(answers.map((answer) => [answer.json().id, answer.headers['x-request-id']]))
  expect(new Map(audited.map(({ id, request }) => [id, request]))).toEqual(requests)
  expect(audited).toHaveLength(ids.length)
  const actors = new Map(audited.map(({ id, actor }) => [id, actor]))
  const [first, second] = ids.map((id) => actors.get(id))
  expect(first).not.toBe(second)
  expect(ids.map((id) => actors.get(id))).toEqual([first, second, first, second])
  const [after] = await rowsOf(sql<{ events: number }>`select count(*)::int as events from outgoing_events`)
  expect((after?.events ?? 0) - (before?.events ?? 0)).toBe(2 * ids.length)
  const again = await issueTogether(names)
  expect(again.map((answer) => answer.headers['idempotency-replayed'])).toEqual(names.map(() => 'true'))
  expect(again.map((answer) => answer.json().id)).toEqual(ids)
})

test('of credentials that draw one place together one has it, and the others draw again', async () => {
  const { random } = service.loop.environment
  let next = 0
  const draws = [5, 5, 5, 5, 5, 6, 6, 7, 8, 9]
  const bytes = (length: number) =>
    length === 4 ? new Uint8Array([0, 0, 1, draws[next++] ?? next]) : random.bytes(length)
  const answers = await issueTogether(namesOf('draws', 4), { random: { ...random, bytes } })
  const indexes = answers.map((answer) => answer.json().credentialStatus?.statusListIndex)
  expect(new Set(indexes).size).toBe(4)
  expect(indexes).toContain('261')
})

test('one that cannot be stored fails alone, and leaves nothing', async () => {
  const names = namesOf('taken-over', 4)
  const stored = async () => {
    const [counts] = await rowsOf(sql<Record<string, number>>`select
      (select count(*)::int from credentials) as credentials,
      (select count(*)::int from audit where action = 'issueCredential') as audited,
      (select count(*)::int from outgoing_events where event = 'credential_issued') as told,
      (select count(*)::int from idempotency_keys where state = 'answered') as answered`)
    return Object.values(counts ?? {})
  }
  const before = await stored()
  // Another process has taken the request over meanwhile.
  const takeOver = () =>
    service.scratch.db.transaction('system', (tx) =>
      sql`update service.idempotency_keys set attempt = attempt + 1
        where id = (select max(id) from service.idempotency_keys where state = 'running')`.execute(tx),
    )
  const answers = await issueTogether(names, {}, takeOver)
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 409])
  const after = await stored()
  expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([3, 3, 3, 3])
  const [lost] = await rowsOf(sql<{ count: number }>`
    select count(*)::int from status_entries e where e.team_id = ${service.team.team} and not exists (
      select from credentials c where c.registry_id = e.registry_id and c.status_index = e.index)`)
  expect(lost?.count).toBe(0)
})
