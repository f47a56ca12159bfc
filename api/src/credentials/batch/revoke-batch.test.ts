import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testTeam } from '../../platform/testing/scratch-database.js'
import { degree, pathOf, TestService } from '../loop.testing.js'
import { ROWS_MAX } from './batch-limits.js'

let service: TestService
let issuer: string
beforeAll(async () => {
  service = await TestService.open()
  issuer = await service.did()
})
afterAll(() => service.close())

const revoke = (credentialIds: readonly string[]) =>
  service.call('POST', '/credentials/batch/revoke', { credentialIds: [...credentialIds] })

/** Issues credentials in a batch; returns them by id. */
async function issued(ids: readonly string[], of = issuer, more: Record<string, boolean> = { revocable: true }) {
  const rows = ids.map((id) => ({ credential: { id, issuer: of, subject: degree }, ...more }))
  const { body } = await service.call('POST', '/credentials/batch', { rows })
  await service.finished(body.id)
  const headers = { 'svc-api-token': service.team.apiKey }
  const answer = await service.app.inject({ url: `/credentials/batch/${body.id}/result`, headers })
  return answer.body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).credential)
}

const actionsOf = async (job: string): Promise<number> => {
  const { rows } = await service.scratch.db.read('system', (reader) =>
    sql<{ count: number }>`select count(*)::int from ledger_actions where job_id = ${job}`.execute(reader),
  )
  return rows[0]?.count ?? 0
}

const isRevoked = async (id: string): Promise<boolean> => (await service.call('GET', pathOf(id))).body.revoked

test('many credentials are revoked with an action for each of their registries, and no other credential is', async () => {
  const second = await service.did()
  const [ids, others] = [
    Array.from({ length: 20 }, (_, index) => `urn:revoked:${index}`),
    Array.from({ length: 5 }, (_, index) => `urn:other:${index}`),
  ]
  const [kept] = await issued(['urn:kept:1'])
  const credentials = [...(await issued(ids)), ...(await issued(others, second))]
  const { status, body } = await revoke([...ids, ...others])
  expect(status).toBe(200)
  expect(body.data).toEqual({ total: 25, refused: [] })
  expect(await actionsOf(body.id)).toBe(2)
  expect(await service.finished(body.id)).toBe('finalized')
  for (const credential of [credentials[0], credentials[19], credentials[24]])
    expect(await service.verified(credential)).toBe(false)
  expect(await service.verified(kept)).toBe(true)
  for (const id of [...ids, ...others]) expect(await isRevoked(id), id).toBe(true)
})

test('an id that cannot be revoked is refused as its own request is, and the others are revoked', async () => {
  await issued(['urn:good:1', 'urn:good:2'])
  await issued(['urn:fixed:1'], issuer, { revocable: false })
  const stranger = await testTeam(service.scratch.db)
  const theirs = await service.did(stranger.apiKey)
  const credential = { id: 'urn:theirs:1', issuer: theirs, subject: degree }
  await service.call('POST', '/credentials', { credential, revocable: true }, stranger.apiKey)
  const ids = ['urn:good:1', 'urn:nobody:1', 'urn:fixed:1', 'urn:theirs:1', 'no id', 'urn:good:2', 'urn:good:1']
  const { body } = await revoke(ids)
  expect(body.data.total).toBe(7)
  expect(body.data.refused.map(({ row }: { row: number }) => row)).toEqual([2, 3, 4, 5])
  for (const { row, ...refusal } of body.data.refused.slice(0, 3)) {
    const alone = await service.call('POST', `${pathOf(ids[row - 1] ?? '')}/revoke`)
    expect(alone.body).toMatchObject(refusal)
  }
  await service.finished(body.id)
  expect([await isRevoked('urn:good:1'), await isRevoked('urn:good:2'), await isRevoked('urn:fixed:1')]).toEqual([
    true,
    true,
    false,
  ])
})

test('a request of which nothing can be revoked has nothing to wait for', async () => {
  const { body } = await revoke(['urn:nobody:2'])
  expect(body).toMatchObject({ id: '0', data: { total: 1, refused: [{ row: 1, status: 404, type: 'not_found' }] } })
})

test('an id that credentials share is revoked for all of them', async () => {
  const shared = await issued(['urn:shared:1', 'urn:shared:1'])
  const { body } = await revoke(['urn:shared:1'])
  await service.finished(body.id)
  for (const credential of shared) expect(await service.verified(credential)).toBe(false)
})

test('1 to 10,000 ids are taken', async () => {
  const many = (length: number) => revoke(Array.from({ length }, (_, index) => `urn:many:${index}`))
  for (const [length, status] of [
    [0, 400],
    [1, 200],
    [ROWS_MAX - 1, 200],
    [ROWS_MAX, 200],
    [ROWS_MAX + 1, 400],
  ] as const)
    expect((await many(length)).status, `${length} ids`).toBe(status)
})

describe('NDJSON', () => {
  const send = async (payload: string) => {
    const headers = { 'svc-api-token': service.team.apiKey, 'content-type': 'application/x-ndjson' }
    const answer = await service.app.inject({ method: 'POST', url: '/credentials/batch/revoke', headers, payload })
    return { status: answer.statusCode, body: answer.json() }
  }
  const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')

  test('has one id a line, empty lines count for nothing, and a bad id is refused alone', async () => {
    await issued(['urn:line:1', 'urn:line:2', 'urn:line:3'])
    const { status, body } = await send(`\n${lines(['urn:line:1', 'no id'])}\n${JSON.stringify('urn:line:3')}`)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { data: { total: 3, refused: [{ row: 2, status: 400, type: 'invalid_request' }] } },
    })
    expect(await service.finished(body.id)).toBe('finalized')
    expect(await Promise.all([1, 2, 3].map((n) => isRevoked(`urn:line:${n}`)))).toEqual([true, false, true])
  })

  test('of 1 to 10,000 lines is taken, and what is no text is refused by its place', async () => {
    const many = (length: number) => send(lines(Array.from({ length }, (_, index) => `urn:many:${index}`)))
    for (const [length, status] of [
      [0, 400],
      [ROWS_MAX, 200],
      [ROWS_MAX + 1, 400],
      [20_001, 413],
    ] as const)
      expect((await many(length)).status, `${length} lines`).toBe(status)
    expect(await send(lines(['urn:x:1', { credentialId: 'urn:x:2' }]))).toMatchObject({
      status: 400,
      body: { problems: [{ path: '/credentialIds/1' }] },
    })
    expect(await send('"urn:x:1"\n"urn:x')).toMatchObject({
      status: 400,
      body: { message: 'Not valid JSON: row 2' },
    })
  })

  test('of empty lines alone takes no longer than one of ids, however many they are', async () => {
    expect(await send('\n'.repeat(4 * 1024 * 1024 - 1))).toMatchObject({ status: 413 })
  })
})

test('a dry run tells what would change, and changes nothing', async () => {
  await issued(['urn:dry:1'])
  const answer = await service.call('POST', '/credentials/batch/revoke?dryRun=true', { credentialIds: ['urn:dry:1'] })
  expect(answer.body).toMatchObject({ changes: [expect.any(Object)], refusals: [] })
  expect(await isRevoked('urn:dry:1')).toBe(false)
})
