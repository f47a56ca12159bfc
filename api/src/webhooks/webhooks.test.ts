import { describe, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { guardedPoster, receiverGuard } from '../platform/security/guarded-post.js'
import { answerOf } from '../platform/testing/answered.js'
import { appWithTeam } from '../platform/testing/for-all-tests.js'
import { requestAs } from '../platform/testing/request-as.js'
import { type TestTeam, testEnvironment, testTeam } from '../platform/testing/scratch-database.js'
import './webhook.tables.js'
import { webhooks } from './operations.js'

const open = appWithTeam([webhooks])

const call = async (method: string, url: string, payload?: object, team: TestTeam = open().team) =>
  answerOf(await requestAs(open().app, team, method, url, payload))

const url = 'http://127.0.0.1:9/hook'
const made = async (body: object = {}, team?: TestTeam) => {
  const answer = await call('POST', '/webhooks', { url, ...body }, team)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

test('a web hook is made, read, listed newest first, changed and deleted', async () => {
  const first = await made()
  const { signingSecret, ...second } = await made({ description: 'Office', events: ['did_create', 'did_create'] })
  expect(second).toEqual({
    id: expect.stringMatching(/^[0-9]{1,64}$/),
    url,
    description: 'Office',
    status: 1,
    events: ['did_create'],
    created: expect.stringMatching(/^\d{4}-.*Z$/),
    secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    includePersonalData: true,
    failingSince: null,
    disabledReason: null,
  })
  expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect((await call('GET', `/webhooks/${second.id}`)).body).toEqual(second)
  const list = (await call('GET', '/webhooks')).body
  expect(list.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id])
  expect((await call('GET', '/webhooks?limit=1&offset=1')).body).toHaveLength(1)
  const changed = await call('PATCH', `/webhooks/${second.id}`, { url: `${url}/2`, status: 0, events: [] })
  expect(changed.body).toEqual({ ...second, url: `${url}/2`, status: 0, events: [] })
  expect((await call('PATCH', `/webhooks/${second.id}`, { url, description: '' })).body).toEqual({
    ...second,
    description: '',
    status: 0,
    events: [],
  })
  expect(await call('DELETE', `/webhooks/${second.id}`)).toMatchObject({ status: 200, body: undefined })
  expect((await call('GET', `/webhooks/${second.id}`)).status).toBe(404)
  expect((await call('DELETE', `/webhooks/${second.id}`)).status).toBe(404)
})

test('a URL alone makes an enabled web hook that gets no events', async () => {
  expect(await made()).toMatchObject({ status: 1, events: [], description: '' })
})

test('limits hold at their edges', async () => {
  const long = (length: number) => `${url}/`.padEnd(length, 'a')
  const status = async (body: object) => (await call('POST', '/webhooks', { url, ...body })).status
  for (const [body, expected] of [
    [{ url: long(2048) }, 200],
    [{ url: long(2049) }, 400],
    [{ url: 'http:/a' }, 400],
    [{ url: undefined }, 400],
    [{ url: 'not a URL' }, 400],
    [{ description: 'a'.repeat(1000) }, 200],
    [{ description: 'a'.repeat(1001) }, 400],
    [{ status: 0 }, 200],
    [{ status: 2 }, 400],
    [{ status: -1 }, 400],
    [{ events: ['no_such_event'] }, 400],
    [{ events: ['anchor_create', 'proof_submitted', 'didcomm_message_received'] }, 200],
    [{ events: ['webhook_test'] }, 400],
  ] as const)
    expect([body, await status(body)]).toEqual([body, expected])
  expect((await call('PATCH', `/webhooks/${(await made()).id}`, { status: 0 })).status).toBe(400)
  for (const id of ['1'.repeat(64), '0']) expect((await call('GET', `/webhooks/${id}`)).status).toBe(404)
  for (const id of ['1'.repeat(65), 'x', '-1', '1.5']) expect((await call('GET', `/webhooks/${id}`)).status).toBe(400)
  for (const query of ['limit=0', 'limit=65', 'offset=-1', 'offset=2147483648'])
    expect((await call('GET', `/webhooks?${query}`)).status).toBe(400)
})

test('a name of no event is refused with the names that there are', async () => {
  const { body } = await call('POST', '/webhooks', { url, events: ['credential_isued'] })
  expect(JSON.stringify(body)).toMatch(/credential_issued/)
})

test('the secrets are stored sealed, and the one that signs is shown at creation and rotation alone', async () => {
  const hook = await made()
  const row = await open().scratch.db.read('system', (reader) =>
    reader.selectFrom('webhooks').selectAll().where('id', '=', hook.id).executeTakeFirstOrThrow(),
  )
  for (const secret of [hook.secret, hook.signingSecret]) expect(JSON.stringify(row)).not.toContain(secret)
  expect(row.sealed.includes(hook.secret)).toBe(false)
  const rotated = (await call('POST', `/webhooks/${hook.id}/rotate-secret`)).body
  expect(rotated).toEqual({ ...hook, signingSecret: expect.stringMatching(/^whsec_/) })
  expect(rotated.signingSecret).not.toBe(hook.signingSecret)
  for (const path of ['/webhooks', `/webhooks/${hook.id}`])
    expect(JSON.stringify((await call('GET', path)).body)).not.toContain('whsec_')
})

test('a retry of a creation does not show the secrets again', async () => {
  const { app, team } = open()
  const create = () => requestAs(app, team, 'POST', '/webhooks', { url }, { 'idempotency-key': 'hook-once' })
  expect((await create()).statusCode).toBe(200)
  expect((await create()).statusCode).toBe(409)
})

test('another team gets the answers of a missing web hook', async () => {
  const other = await testTeam(open().scratch.db)
  const { id } = await made()
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { url }],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
  ] as const) {
    const answers = [id, '1'].map((one) => call(method, `/webhooks/${one}${path}`, body, other))
    const [theirs, missing] = await Promise.all(answers)
    expect([method, theirs?.status, theirs?.body]).toEqual([method, 404, missing?.body])
  }
  expect((await call('GET', '/webhooks', undefined, other)).body).toEqual([])
})

test('a team has at most 100 web hooks, also when they are made at once', async () => {
  const team = await testTeam(open().scratch.db)
  for (let i = 0; i < 98; i++) await made({}, team)
  const answers = await Promise.all([1, 2, 3, 4].map(() => call('POST', '/webhooks', { url }, team)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409])
})

describe('in production', () => {
  const guardedPost = guardedPoster(receiverGuard({ toLoopback: false }))

  test.each([
    ['http://example.org/hook', /only https:/],
    ['https://127.0.0.1/hook', /no public address/],
    ['https://[::1]/hook', /no public address/],
    ['https://[::ffff:127.0.0.1]/hook', /no public address/],
    ['https://localhost/hook', /no public address/],
    ['https://10.0.0.8/hook', /no public address/],
    ['https://169.254.169.254/latest', /no public address/],
    ['https://0x7f.1/hook', /no public address/],
    ['https://user:secret@example.org/hook', /password/],
  ])('%s is refused', async (target, reason) => {
    const { scratch, team } = open()
    const app = await buildApp(testEnvironment(scratch, { guardedPost }), [webhooks])
    const { statusCode, body } = await requestAs(app, team, 'POST', '/webhooks', { url: target })
    await app.close()
    expect([statusCode, body]).toEqual([400, expect.stringMatching(reason)])
  })

  test('a host that has no address yet is taken, and refused when something would be sent', async () => {
    await expect(guardedPost.check('https://receiver.invalid/hook')).resolves.toBe(undefined)
    const post = { url: 'https://receiver.invalid/hook', headers: {}, body: '{}', timeoutMs: 1000 }
    await expect(guardedPost.send(post)).rejects.toThrow('the host is unknown')
  })
})
