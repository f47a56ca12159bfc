import { createHash, createHmac } from 'node:crypto'
import { seal } from '@accredit/process/seal'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { buildApp } from '../../app.js'
import { ApiError } from '../errors.js'
import { systemRandom } from '../process/random.js'
import { bearerKey } from '../security/bearer-key.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testEnvironment,
  testTeam,
} from '../testing/scratch-database.js'
import type { Context } from './context.js'
import { storedAnswer } from './idempotency.js'
import { operation } from './operation.js'

/** Runs after the operation's transaction; a test may let it hang, like a process that was killed. */
let afterwards: (ctx: Pick<Context, 'db' | 'scope'>) => Promise<void> = async () => undefined

/** Runs before it. */
let beforehand: () => Promise<void> = async () => undefined
/** Breaks the end of its first transaction, which then is tried again without an answer. */
let isFirstBroken = false

const make = (operationId: string, url: string, storesAnswer: boolean, secretAnswer = false) =>
  operation({
    method: 'POST',
    url,
    operationId,
    tags: [],
    summary: '',
    auth: 'key',
    role: 'member',
    tenancy: 'owned',
    secretAnswer,
    body: Type.Object({
      name: Type.Optional(Type.String()),
      refuse: Type.Optional(Type.Boolean()),
      about: Type.Optional(Type.Array(Type.String())),
    }),
    response: { 200: Type.Any() },
    errors: ['not_found'],
    handler: async (ctx, { body }) => {
      if (body.refuse) throw new ApiError('not_found', 'Refused')
      ctx.reply.header('Accredit-Job', '77')
      await beforehand()
      const act = (isBroken: boolean) =>
        ctx.db.transaction(ctx.scope, async (tx) => {
          await tx.audit({ action: 'made', subject: body.name ?? '-', changes: 'nothing' })
          const answer = { made: ctx.random.uuid() }
          if (storesAnswer || isBroken) await tx.answer(answer, body.about)
          if (isBroken) throw new Error('rolled back')
          return answer
        })
      if (isFirstBroken) await act(true).catch(() => undefined)
      const made = await act(false)
      await afterwards(ctx)
      return made
    },
  })

/** Answers of every form, with a part that is new each time. */
const FORMS = {
  empty: () => undefined,
  bytes: (id: string) => Buffer.from([0, 255, ...Buffer.from(id)]),
  text: (id: string) => `made\n"${id}"\n`,
  string: (id: string) => id,
  list: (id: string) => [id, null, { id }],
}
const JSON_TYPE = 'application/json; charset=utf-8'
const CONTENT_TYPES: Record<string, string> = {
  bytes: 'application/octet-stream',
  text: 'text/csv; charset=utf-8',
  string: JSON_TYPE,
  list: JSON_TYPE,
}

const inForm = (form: keyof typeof FORMS) =>
  operation({
    method: 'POST',
    url: `/${form}`,
    operationId: form,
    tags: [],
    summary: '',
    auth: 'key',
    role: 'member',
    tenancy: 'owned',
    response: { 200: Type.Any() },
    handler: async (ctx) => {
      const type = CONTENT_TYPES[form]
      if (type !== undefined && type !== JSON_TYPE) ctx.reply.header('content-type', type)
      return FORMS[form](ctx.random.uuid())
    },
  })

const operations = [
  make('atomic', '/atomic', true),
  make('late', '/late', false),
  make('secret', '/secret', false, true),
  ...(['empty', 'bytes', 'text', 'string', 'list'] as const).map(inForm),
]
const openApp = () => buildApp(testEnvironment(scratch), [{ operations }])

let scratch: ScratchDatabase
let app: FastifyInstance
let team: TestTeam
beforeAll(async () => {
  scratch = await serviceDatabase()
  app = await openApp()
})
afterAll(async () => {
  await app.close()
  await scratch.close()
})
beforeEach(async () => {
  afterwards = async () => undefined
  beforehand = async () => undefined
  isFirstBroken = false
  team = await testTeam(scratch.db)
})

const post = (url: string, key: string | undefined, payload: object = {}, apiKey = team.apiKey, to = app) =>
  to.inject({
    method: 'POST',
    url,
    headers: { 'svc-api-token': apiKey, ...(key && { 'idempotency-key': key }) },
    payload,
  })
const made = () =>
  scratch.db.read({ teams: [team.team], actor: 'test' }, (r) =>
    r.selectFrom('audit').select('id').where('action', '=', 'made').execute(),
  )
/** The process will be killed: nothing in it happens by the clock. */
async function openAppThatRenewsNothing(): Promise<FastifyInstance> {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const made = await openApp()
  vi.useRealTimers()
  return made
}
/** Reads one column of the team's stored keys. */
const keyColumn = async (name: 'attempt' | 'marks' | 'sealed') => {
  const { rows } = await scratch.db.read('system', (reader) =>
    sql<{ value: unknown }>`select ${sql.ref(name)} as value from service.idempotency_keys where team_id = ${team.team}
      order by id`.execute(reader),
  )
  return rows.map(({ value }) => value)
}
/** Ends all leases, as after `kill -9`: the lease of the process with the claim has run out. */
const expireLeases = () =>
  scratch.db.transaction('system', (tx) => sql`update service.idempotency_keys set leased_until = now()`.execute(tx))

test('a retry gets the first answer with its headers, and nothing happens twice', async () => {
  for (const url of ['/atomic', '/late']) {
    const first = await post(url, 'k1', { name: 'a' })
    const retry = await post(`${url}/`, 'k1', { name: 'a' })
    expect(retry.json()).toEqual(first.json())
    expect([retry.headers['accredit-job'], retry.headers['idempotency-replayed']]).toEqual(['77', 'true'])
  }
  expect(await made()).toHaveLength(2)
})

test('an answer that was stored with its transaction is not written again', async () => {
  let stored: unknown[] = []
  afterwards = async () => {
    stored = await keyColumn('sealed')
  }
  await post('/atomic', 'k')
  expect(await keyColumn('sealed')).toEqual(stored)
  expect(stored).toHaveLength(1)
})

test('a later transaction of the same request leaves the stored answer as it is', async () => {
  let stored: unknown[] = []
  afterwards = async ({ db, scope }) => {
    stored = await keyColumn('sealed')
    await db.transaction(scope, (tx) => tx.audit({ action: 'made', changes: 'nothing' }))
  }
  const first = await post('/atomic', 'k')
  expect(await keyColumn('sealed')).toEqual(stored)
  expect((await post('/atomic', 'k')).json()).toEqual(first.json())
  expect(await made()).toHaveLength(2)
})

test('a stored answer of another shape is a fault, and is not sent', async () => {
  await post('/atomic', 'k')
  await scratch.db.transaction('system', async (tx) => {
    const { key_hash: keyHash } = await tx
      .selectFrom('idempotency_keys')
      .select('key_hash')
      .where('team_id', '=', team.team)
      .executeTakeFirstOrThrow()
    const sealed = seal(
      bearerKey(team.apiKey, 'idempotent answer'),
      Buffer.from(JSON.stringify({ status: 200 })),
      keyHash,
      systemRandom.bytes,
    )
    await tx.updateTable('idempotency_keys').set({ sealed }).where('team_id', '=', team.team).execute()
  })
  expect((await post('/atomic', 'k')).statusCode).toBe(500)
})

test('a key belongs to one API key, method and path: elsewhere it is another request', async () => {
  const other = await testTeam(scratch.db)
  const answers = [await post('/atomic', 'k'), await post('/late', 'k'), await post('/atomic', 'k', {}, other.apiKey)]
  expect(new Set(answers.map((answer) => answer.json().made)).size).toBe(3)
})

test('the same key with another body or query is 409 idempotency_mismatch', async () => {
  await post('/atomic', 'k', { name: 'a' })
  expect((await post('/atomic', 'k', { name: 'b' })).json()).toMatchObject({
    status: 409,
    type: 'idempotency_mismatch',
  })
  expect((await post('/atomic?x=1', 'k', { name: 'a' })).json()).toMatchObject({
    status: 409,
    type: 'idempotency_mismatch',
  })
})

test('while the first request runs, a second one is 409 idempotency_in_progress', async () => {
  let release = (): void => undefined
  const reached = new Promise<void>((resolve) => {
    afterwards = () => {
      resolve()
      return new Promise((go) => {
        release = go
      })
    }
  })
  const first = post('/late', 'k')
  await reached
  expect((await post('/late', 'k')).json()).toMatchObject({ status: 409, type: 'idempotency_in_progress' })
  release()
  expect((await first).statusCode).toBe(200)
  expect((await post('/late', 'k')).json()).toEqual((await first).json())
})

test('ten requests at once with one key do it once, and nine are told that it is running', async () => {
  let refused = 0
  let release = (): void => undefined
  // The request that carries it out waits until all the others were answered.
  const othersAnswered = new Promise<void>((resolve) => {
    release = resolve
  })
  afterwards = () => othersAnswered
  const ask = async (): Promise<number> => {
    const { statusCode } = await post('/late', 'k')
    if (statusCode === 409 && ++refused === 9) release()
    return statusCode
  }
  const answers = await Promise.all(Array.from({ length: 10 }, ask))
  expect(answers.sort()).toEqual([200, ...Array<number>(9).fill(409)])
  expect(await made()).toHaveLength(1)
})

test('after a kill behind the commit, a retry gets the stored answer, or learns that it was carried out', async () => {
  const killed = new Promise<void>((resolve) => {
    let count = 0
    afterwards = () => {
      if (++count === 2) resolve()
      return new Promise(() => undefined)
    }
  })
  const other = await openAppThatRenewsNothing()
  for (const url of ['/atomic', '/late']) void post(url, 'k', {}, team.apiKey, other).catch(() => undefined)
  await killed
  afterwards = async () => undefined
  await expireLeases()
  expect((await post('/atomic', 'k')).json()).toEqual({ made: expect.any(String) })
  expect((await post('/late', 'k')).json()).toMatchObject({ status: 409, type: 'conflict' })
  expect(await made()).toHaveLength(2)
  await other.close()
})

test('after a kill behind a second transaction, the first being rolled back, a retry does not carry it out again', async () => {
  isFirstBroken = true
  const killed = new Promise<void>((resolve) => {
    afterwards = () => {
      resolve()
      return new Promise(() => undefined)
    }
  })
  const other = await openAppThatRenewsNothing()
  void post('/late', 'k', {}, team.apiKey, other).catch(() => undefined)
  await killed
  afterwards = async () => undefined
  await expireLeases()
  expect((await post('/late', 'k')).json()).toMatchObject({ status: 409, type: 'conflict' })
  expect(await made()).toHaveLength(1)
  await other.close()
})

test('an attempt that was taken over while it slept changes nothing when it wakes, and tells nothing to retries', async () => {
  for (const url of ['/atomic', '/late', '/secret']) {
    const before = (await made()).length
    let wake = (): void => undefined
    const asleep = new Promise<void>((resolve) => {
      beforehand = () => {
        resolve()
        return new Promise((go) => {
          wake = go
        })
      }
    })
    const other = await openAppThatRenewsNothing()
    const first = post(url, 'sleeper', {}, team.apiKey, other)
    await asleep
    beforehand = async () => undefined
    await expireLeases()
    const second = await post(url, 'sleeper')
    expect(second.statusCode).toBe(200)
    expect(await keyColumn('attempt')).toContain(2)
    wake()
    expect((await first).json()).toMatchObject({ status: 409, type: 'idempotency_in_progress' })
    expect(await made()).toHaveLength(before + 1)
    const retry = await post(url, 'sleeper')
    if (url === '/secret') expect(retry.json()).toMatchObject({ status: 409, type: 'conflict' })
    else expect(retry.json()).toEqual(second.json())
    await other.close()
  }
})

test('an attempt that was taken over and then refused does not give the key of the other one free', async () => {
  let wake = (): void => undefined
  const asleep = new Promise<void>((resolve) => {
    beforehand = () => {
      resolve()
      return new Promise((_, fail) => {
        wake = () => fail(new ApiError('not_found', 'Refused'))
      })
    }
  })
  const other = await openAppThatRenewsNothing()
  const first = post('/late', 'k', {}, team.apiKey, other)
  await asleep
  await expireLeases()
  const secondRuns = new Promise<() => void>((resolve) => {
    beforehand = () => new Promise((go) => resolve(() => go()))
  })
  const second = post('/late', 'k')
  const goOn = await secondRuns
  beforehand = async () => undefined
  wake()
  expect((await first).statusCode).toBe(404)
  expect((await post('/late', 'k')).json()).toMatchObject({ type: 'idempotency_in_progress' })
  goOn()
  expect((await second).statusCode).toBe(200)
  expect(await made()).toHaveLength(1)
  await other.close()
})

test('a fault after the commit is 500, and no retry carries it out again', async () => {
  afterwards = async () => {
    throw new Error('a fault')
  }
  for (const url of ['/atomic', '/late', '/secret']) expect((await post(url, 'k')).statusCode).toBe(500)
  afterwards = async () => undefined
  // The two are within the lease and after it.
  for (const wait of [async () => undefined, expireLeases]) {
    await wait()
    expect((await post('/atomic', 'k')).json()).toEqual({ made: expect.any(String) })
    for (const url of ['/late', '/secret']) expect((await post(url, 'k')).statusCode).toBe(409)
  }
  expect(await made()).toHaveLength(3)
})

test('a refusal after the commit is the answer that retries get too', async () => {
  afterwards = async () => {
    throw new ApiError('not_found', 'Refused late')
  }
  for (const url of ['/atomic', '/late']) expect((await post(url, 'k')).statusCode).toBe(404)
  afterwards = async () => undefined
  for (const wait of [async () => undefined, expireLeases]) {
    await wait()
    for (const url of ['/atomic', '/late'])
      expect((await post(url, 'k')).json()).toMatchObject({ status: 404, message: 'Refused late' })
  }
  expect(await made()).toHaveLength(2)
})

test('the lease of an attempt that runs is renewed, nothing is while none runs, and no longer once its process has ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const other = await openApp()
    const timers = vi.getTimerCount()
    // The real statement runs; the test only listens to it.
    const sent = vi.spyOn(pg.Client.prototype, 'query')
    await vi.advanceTimersByTimeAsync(3000)
    let release = (): void => undefined
    const runs = new Promise<void>((resolve) => {
      beforehand = () => {
        resolve()
        return new Promise((go) => {
          release = go
        })
      }
    })
    const first = post('/late', 'k', {}, team.apiKey, other)
    await runs
    beforehand = async () => undefined
    await expireLeases()
    const leases = () =>
      scratch.db.read('system', (r) =>
        r
          .selectFrom('idempotency_keys')
          .select(sql<boolean>`leased_until > now() + interval '9 seconds'`.as('isHeld'))
          .where('team_id', '=', team.team)
          .execute(),
      )
    expect(await leases()).toEqual([{ isHeld: false }])
    await vi.advanceTimersByTimeAsync(3000)
    await expect.poll(leases).toEqual([{ isHeld: true }])
    // The database got no statement while nothing ran.
    const renewals = sent.mock.calls
      .map((given) => JSON.stringify(given))
      .filter((text) => /leased_until.*unnest/.test(text))
    expect(renewals).toHaveLength(1)
    sent.mockRestore()
    expect((await post('/late', 'k')).json()).toMatchObject({ status: 409, type: 'idempotency_in_progress' })
    release()
    expect((await first).statusCode).toBe(200)
    await other.close()
    expect(vi.getTimerCount()).toBeLessThan(timers)
  } finally {
    vi.useRealTimers()
  }
})

test.each(['empty', 'bytes', 'text', 'string', 'list'])(
  'a retry gets an answer of the form %s byte for byte',
  async (form) => {
    const first = await post(`/${form}`, 'k')
    const retry = await post(`/${form}`, 'k')
    expect(first.statusCode).toBe(200)
    expect(first.headers['content-type']).toBe(CONTENT_TYPES[form])
    if (form === 'bytes') expect(first.rawPayload.subarray(0, 2)).toEqual(Buffer.from([0, 255]))
    expect(retry.headers['idempotency-replayed']).toBe('true')
    expect([retry.rawPayload, retry.headers['content-type']]).toEqual([first.rawPayload, first.headers['content-type']])
    if (form === 'empty') expect(first.rawPayload).toHaveLength(0)
    else expect((await post(`/${form}`, 'other')).rawPayload).not.toEqual(first.rawPayload)
  },
)

test('after a kill before any change, a retry carries it out', async () => {
  await scratch.db.transaction('system', async (tx) => {
    await sql`delete from service.idempotency_keys`.execute(tx)
  })
  const first = await post('/atomic', 'k')
  await scratch.db.transaction('system', (tx) =>
    sql`update service.idempotency_keys set state = 'running', sealed = null, leased_until = now()`.execute(tx),
  )
  const retry = await post('/atomic', 'k')
  expect(retry.statusCode).toBe(200)
  expect(retry.json()).not.toEqual(first.json())
})

test('a refused request gives its key free', async () => {
  expect((await post('/atomic', 'k', { refuse: true })).statusCode).toBe(404)
  expect((await post('/atomic', 'k', { name: 'now' })).statusCode).toBe(200)
})

test('an answer with a secret is not shown again', async () => {
  expect((await post('/secret', 'k')).statusCode).toBe(200)
  expect((await post('/secret', 'k')).json()).toMatchObject({ status: 409, type: 'conflict' })
  expect(await made()).toHaveLength(1)
})

test('an answer is kept with marks of what it is about, by which erasure finds it, and one about nothing with none', async () => {
  const about = 'urn:person'
  const [, , { id }] = (await post('/list', 'k')).json()
  await post('/atomic', 'k', { about: [about] })
  for (const url of ['/atomic', '/late', '/secret', '/text']) await post(url, 'nothing')
  const { events } = testEnvironment(scratch)
  const marks = [id, about].map((one) => events.marksOf(team.team, [one]))
  expect(await keyColumn('marks')).toEqual([...marks, null, null, null, null])
})

test('content with a type of its own is kept as JSON unless it is a text', () => {
  const headers = { 'content-type': 'application/ld+json' }
  expect(storedAnswer(200, { id: 1 }, headers)).toEqual({ status: 200, headers, kind: 'json', content: '{"id":1}' })
  expect(storedAnswer(200, 'id', headers)).toEqual({ status: 200, headers, kind: 'text', content: 'id' })
})

test('a key that was given free while somebody else asked for it is 409, to be asked for again', async () => {
  const admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  // As where the first request ends between the two statements of the second: its row is in the way, and then gone.
  await admin.query(`create function service.skip() returns trigger language plpgsql as 'begin return null; end';
    create trigger skip before insert on service.idempotency_keys for each row execute function service.skip()`)
  try {
    const refused = await post('/atomic', 'k')
    expect(refused.json()).toMatchObject({ status: 409, type: 'idempotency_in_progress' })
    expect(refused.headers['retry-after']).toBe('1')
  } finally {
    await admin.query('drop trigger skip on service.idempotency_keys; drop function service.skip()')
    await admin.end()
  }
  expect((await post('/atomic', 'k')).statusCode).toBe(200)
})

test('a key is new after 24 hours', async () => {
  const first = await post('/atomic', 'k')
  await scratch.db.transaction('system', (tx) =>
    sql`update service.idempotency_keys set created = now() - interval '25 hours'`.execute(tx),
  )
  expect((await post('/atomic', 'k', { name: 'other' })).json()).not.toEqual(first.json())
})

test('the stored answer is sealed: neither it nor its key stands in the database', async () => {
  const { made: id } = (await post('/atomic', 'k')).json()
  const rows = await scratch.db.read('system', (r) => r.selectFrom('idempotency_keys').selectAll().execute())
  expect(rows.map((row) => row.sealed?.toString('latin1') ?? '').join()).not.toContain(id)
  expect(JSON.stringify(rows)).not.toContain(team.apiKey)
})

test('another process recognises a retry, and the stored digest gives no way to try passwords', async () => {
  const body = { name: 'password 1234' }
  const first = await post('/atomic', 'k', body)
  const other = await openApp()
  expect((await post('/atomic', 'k', body, team.apiKey, other)).json()).toEqual(first.json())
  await other.close()
  const { mac, hash } = await scratch.db.read('system', async (reader) => ({
    mac: await reader
      .selectFrom('idempotency_keys')
      .select('request_mac')
      .where('team_id', '=', team.team)
      .executeTakeFirstOrThrow(),
    hash: await reader.selectFrom('api_keys').select('hash').where('id', '=', team.keyId).executeTakeFirstOrThrow(),
  }))
  const content = JSON.stringify([{}, body])
  const macUnder = (key: string) => createHmac('sha256', bearerKey(key, 'idempotent request')).update(content).digest()
  expect(mac.request_mac).toEqual(macUnder(team.apiKey))
  const plain = [content, JSON.stringify([content])].map((text) => createHash('sha256').update(text).digest())
  const underStored = ['latin1', 'hex', 'base64'] as const
  const guesses = [...plain, ...underStored.map((form) => macUnder(hash.hash.toString(form)))]
  for (const guess of guesses) expect(mac.request_mac).not.toEqual(guess)
})

test('a key that is no visible ASCII is 400', async () => {
  expect((await post('/atomic', 'a b')).json()).toMatchObject({ status: 400, type: 'invalid_request' })
  expect((await post('/atomic', 'x'.repeat(256))).statusCode).toBe(400)
})
