import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepKeptData } from '../../data/retention/sweep-kept-data.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { endsOf } from '../../platform/testing/ended-jobs.js'
import { outgoingEvents, testTeam } from '../../platform/testing/scratch-database.js'
import { degree, TestService } from '../loop.testing.js'
import { BATCH_BYTES, ROWS_MAX } from './batch-limits.js'
import { startBatches } from './run-batches.js'

let service: TestService
let issuer: string
beforeAll(async () => {
  service = await TestService.open()
  issuer = await service.did()
})
afterAll(() => service.close())

const row = (more: JsonObject = {}): JsonObject => ({ credential: { issuer, subject: degree }, ...more })
const send = (rows: readonly Json[], headers: Record<string, string> = {}) =>
  service.call('POST', '/credentials/batch', { rows: [...rows] }, undefined, headers)

async function sendText(payload: string, type = 'application/json') {
  const headers = { 'svc-api-token': service.team.apiKey, 'content-type': type }
  return service.app.inject({ method: 'POST', url: '/credentials/batch', headers, payload })
}

const resultOf = async (job: string, apiKey = service.team.apiKey) => {
  const headers = { 'svc-api-token': apiKey }
  return service.app.inject({ url: `/credentials/batch/${job}/result`, headers })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was answered
type Line = any

async function linesOf(job: string): Promise<Line[]> {
  const { statusCode, body, headers } = await resultOf(job)
  expect(statusCode, body).toBe(200)
  expect(headers['content-type']).toContain('application/x-ndjson')
  return body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function done(rows: readonly Json[], headers: Record<string, string> = {}): Promise<Line[]> {
  const { status, body } = await send(rows, headers)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.data).toEqual({ total: rows.length })
  await service.finished(body.id)
  return linesOf(body.id)
}

const count = async (statement: ReturnType<typeof sql<{ count: number }>>): Promise<number> => {
  const { rows } = await service.scratch.db.read('system', (reader) => statement.execute(reader))
  return rows[0]?.count ?? 0
}

test('rows of every format are issued, and each credential verifies', async () => {
  const formats = ['jsonld', 'jwt', 'sdjwt', 'vc+sd-jwt']
  const algorithms = ['eddsa-rdfc-2022', 'bjj', 'svcbbs', 'svcbbs+', 'bbdt16']
  const revocable = { StatusList2021Entry: {}, DockVBAccumulator2022: { algorithm: 'svcbbs' } }
  const lines = await done([
    ...formats.map((format) => row({ format })),
    ...algorithms.map((algorithm) => row({ algorithm })),
    ...Object.values(revocable).map((request) => row({ revocable: true, ...request })),
  ])
  expect(lines.map((line) => line.row)).toEqual(lines.map((_, index) => index + 1))
  expect(lines.map(({ error }) => error)).toEqual(lines.map(() => undefined))
  for (const { credential } of lines)
    expect(
      (await service.call('POST', '/verify', { data: credential })).body,
      JSON.stringify(credential),
    ).toMatchObject({ verified: true })
  expect(lines.slice(-2).map(({ credential }) => credential.credentialStatus.type)).toEqual(Object.keys(revocable))
})

test('NDJSON has one row a line, and empty lines count for nothing', async () => {
  const text = `${JSON.stringify(row())}\n\n${JSON.stringify(row({ format: 'jwt' }))}\n`
  const { statusCode, body } = await sendText(text, 'application/x-ndjson')
  expect(statusCode, body).toBe(200)
  await service.finished(JSON.parse(body).id)
  expect(await linesOf(JSON.parse(body).id)).toMatchObject([
    { row: 1, credential: { issuer } },
    { row: 2, credential: expect.stringMatching(/^ey/) },
  ])
})

test('a bad row is refused as POST /credentials refuses it, and the others are issued', async () => {
  const bad: Json[] = [
    {},
    7,
    { credential: { issuer, subject: degree }, format: 'nosuch' },
    { credential: { issuer: 'did:svc:nobody', subject: degree } },
    { credential: { issuer, subject: degree }, revocabel: true },
    { credential: { issuer, subject: degree, issuanceDate: '2026-02-31' } },
    { credential: { issuer, subject: { degree: 'x\u0000' } } },
    { credential: { issuer, subject: degree }, persist: true },
    { credential: { issuer, subject: { text: 'x'.repeat(1_100_000) } } },
  ]
  const lines = await done([row(), ...bad, row()])
  for (const [index, body] of bad.entries()) {
    const alone = await service.call('POST', '/credentials', body)
    expect(alone.status).toBeGreaterThanOrEqual(400)
    expect(lines[index + 1], JSON.stringify(body)?.slice(0, 200)).toEqual({ row: index + 2, error: alone.body })
  }
  for (const line of [lines.at(0), lines.at(-1)]) expect(line.credential.proof).toBeDefined()
})

test('the headers that the answer of one credential would have stand beside its row', async () => {
  const asked = [{ ...row(), anchor: 1, proofs: 2 }, { credential: { subject: degree } }, row()]
  const lines = await done(asked)
  expect(lines[0].headers).toEqual({ 'Accredit-Ignored': '/proofs, /anchor' })
  expect(lines[1]).toMatchObject({
    headers: { 'Accredit-Unsigned': 'true' },
    credential: { credentialSubject: degree },
  })
  expect(lines[2].headers).toBeUndefined()
  const strict = await done(asked, { prefer: 'handling=strict' })
  expect(strict[0].error).toMatchObject({ status: 400, type: 'unknown_member' })
  expect(strict[2].credential).toBeDefined()
})

test('the job counts rows and names the refused ones; one of which nothing came about is an error', async () => {
  const counted = await endsOf('credentials.issue-batch', 'error')
  const { body } = await send([row(), {}, row()])
  await service.finished(body.id)
  const job = await service.call('GET', `/jobs/${body.id}`)
  expect(job.body).toMatchObject({
    status: 'finalized',
    result: { done: 2, total: 3, refused: [{ row: 2, type: 'invalid_request', message: expect.any(String) }] },
  })
  const { body: hopeless } = await send([{}, {}])
  await service.finished(hopeless.id)
  expect(await endsOf('credentials.issue-batch', 'error')).toBe(counted + 1)
  expect((await service.call('GET', `/jobs/${hopeless.id}`)).body).toMatchObject({
    status: 'error',
    result: { type: 'invalid_request', done: 0, total: 2 },
  })
  const { list } = (await service.call('GET', '/data/notifications')).body
  const told = { jobId: hopeless.id, kind: 'credentials.issue-batch', error: { type: 'invalid_request' } }
  expect(list[0]).toMatchObject({ type: 'job_failed', data: told })
})

test('the first revocable row of an issuer makes its registry, the first of an algorithm its key, both once', async () => {
  const fresh = await service.did()
  const revocable = Array.from({ length: 40 }, () => ({
    revocable: true,
    credential: { issuer: fresh, subject: degree },
  }))
  const bbs = Array.from({ length: 5 }, () => ({
    algorithm: 'dockbbs',
    credential: { issuer: fresh, subject: degree },
  }))
  const lines = await done([...revocable, ...bbs])
  expect(lines.filter(({ error }) => error)).toEqual([])
  const lists = lines.slice(0, 40).map(({ credential }) => credential.credentialStatus.statusListCredential)
  expect(new Set(lists).size).toBe(1)
  expect(await count(sql`select count(*)::int from revocation_registries where creator = ${fresh}`)).toBe(1)
  const { body } = await service.call('GET', `/dids/${fresh}`)
  expect(
    JSON.stringify(body.verificationMethod ?? body.didDocument?.verificationMethod).match(/Bls12381/g),
  ).toHaveLength(1)
})

test('the rows of a batch are of several issuers, and each gets keys of its own', async () => {
  const issuers = [await service.did(), await service.did()]
  const rows = issuers.map((did) => ({ algorithm: 'svcbbs+', credential: { issuer: did, subject: degree } }))
  expect((await done(rows)).filter(({ error }) => error)).toEqual([])
  const { rows: keys } = await service.scratch.db.read('system', (reader) =>
    sql<{ did: string; public_key: string }>`select did, public_key from did_keys
      where did = any(${issuers}) and kind = 'Bls12381G2Plus2022'`.execute(reader),
  )
  expect(keys.map(({ did }) => did).sort()).toEqual(issuers.sort())
  expect(new Set(keys.map(({ public_key }) => public_key)).size).toBe(2)
})

test('a row leaves what a request of its own would leave: the credential, its audit row and events of its caller', async () => {
  const team = await testTeam(service.scratch.db)
  const did = await service.did(team.apiKey)
  const rows = [{ credential: { issuer: did, subject: degree } }]
  const { body } = await service.call('POST', '/credentials/batch', { rows }, team.apiKey)
  await service.finished(body.id, team.apiKey)
  const list = await service.call('GET', '/credentials', undefined, team.apiKey)
  expect(list.body).toHaveLength(1)
  const { rows: audited } = await service.scratch.db.read('system', (reader) =>
    sql`select action, actor, subject from audit where team_id = ${team.team} and action like 'issue%' order by id`.execute(
      reader,
    ),
  )
  const actor = `key:${team.keyId}`
  expect(audited).toEqual([
    { action: 'issueBatch', actor, subject: body.id },
    { action: 'issueCredential', actor, subject: list.body[0].id },
  ])
  const events = await outgoingEvents(service.scratch, team.team)
  expect(events.map(({ event }) => event)).toEqual(['did_create', 'credential_create', 'credential_issued'])
})

test('nothing of a row or its result can be read in the database', async () => {
  const secret = 'Kaşıkçı Elması'
  const { body } = await service.whileNobodyWorks(() =>
    send([{ ...row({ persist: true, password: secret }), credential: { issuer, subject: { name: secret } } }]),
  )
  const stored = async () =>
    count(
      sql`select count(*)::int from credential_batch_rows where job_id = ${body.id} and position(${Buffer.from(secret)} in sealed) > 0`,
    )
  expect(await count(sql`select count(*)::int from credential_batch_rows where job_id = ${body.id}`)).toBe(1)
  expect(await stored()).toBe(0)
  await service.finished(body.id)
  expect(await stored()).toBe(0)
  expect((await linesOf(body.id))[0].credential.credentialSubject.name).toBe(secret)
})

describe('the result', () => {
  test('is not there while the batch is in work, and is missing for other teams', async () => {
    const { body, early } = await service.whileNobodyWorks(async () => {
      const started = await send([row()])
      return { ...started, early: await resultOf(started.body.id) }
    })
    expect(early.json()).toMatchObject({ status: 409, type: 'conflict' })
    await service.finished(body.id)
    const other = await testTeam(service.scratch.db)
    expect((await resultOf(body.id, other.apiKey)).json()).toMatchObject({ status: 404, type: 'not_found' })
    expect((await resultOf('1')).statusCode).toBe(404)
  })

  test('is forgotten after a day, when its job stays', async () => {
    const { body } = await send([row()])
    await service.finished(body.id)
    await service.scratch.db.transaction('system', async (tx) => {
      await sql`update credential_batches set ended = now() - interval '23 hours 59 minutes' where job_id = ${body.id}`.execute(
        tx,
      )
    })
    expect((await resultOf(body.id)).statusCode).toBe(200)
    await service.scratch.db.transaction('system', async (tx) => {
      await sql`update credential_batches set ended = now() - interval '24 hours 1 minute' where job_id = ${body.id}`.execute(
        tx,
      )
    })
    expect((await resultOf(body.id)).json()).toMatchObject({ status: 410, type: 'gone' })
    await sweepKeptData(service.loop.environment)
    expect(await count(sql`select count(*)::int from credential_batch_rows where job_id = ${body.id}`)).toBe(0)
    expect((await service.call('GET', `/jobs/${body.id}`)).body.status).toBe('finalized')
  })
})

describe('limits', () => {
  /** Nothing of these batches is to be issued. */
  const forgetUnended = () =>
    service.scratch.db.transaction('system', async (tx) => {
      await sql`delete from credential_batches where ended is null`.execute(tx)
    })
  const many = (length: number) => sendText(JSON.stringify({ rows: Array.from({ length }, () => ({})) }))

  test('1 to 10,000 rows are taken', async () => {
    await service.whileNobodyWorks(async () => {
      for (const [length, status] of [
        [0, 400],
        [1, 200],
        [ROWS_MAX - 1, 200],
        [ROWS_MAX, 200],
        [ROWS_MAX + 1, 400],
      ] as const) {
        const answer = await many(length)
        expect(answer.statusCode, `${length} rows: ${answer.body.slice(0, 200)}`).toBe(status)
        if (status === 400) expect(answer.json().message).toContain(`1 to ${ROWS_MAX}; got ${length}`)
      }
      await forgetUnended()
    })
  })

  test('a body has at most 16 MiB', async () => {
    const bodyOf = (bytes: number) => {
      const text = JSON.stringify({ rows: [{ credential: '' }] })
      return `${text.slice(0, -4)}${'x'.repeat(bytes - text.length)}${text.slice(-4)}`
    }
    await service.whileNobodyWorks(async () => {
      for (const [bytes, status] of [
        [BATCH_BYTES - 1, 200],
        [BATCH_BYTES, 200],
        [BATCH_BYTES + 1, 413],
      ] as const)
        expect((await sendText(bodyOf(bytes))).statusCode, `${bytes} bytes`).toBe(status)
      await forgetUnended()
    })
  })

  test('a team has at most 10 batches in work, which is no other team’s concern', async () => {
    const team = await testTeam(service.scratch.db)
    const sendAs = (apiKey: string) => service.call('POST', '/credentials/batch', { rows: [{}] }, apiKey)
    const jobs = await service.whileNobodyWorks(async () => {
      const answers = []
      for (let i = 0; i < 10; i++) answers.push(await sendAs(team.apiKey))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect((await sendAs(team.apiKey)).body).toMatchObject({ status: 429, type: 'rate_limited' })
      expect((await send([{}])).status).toBe(200)
      return answers.map(({ body }) => body.id)
    })
    for (const job of jobs) await service.finished(job, team.apiKey)
    expect((await sendAs(team.apiKey)).status).toBe(200)
  })

  test.each([
    ['a list', '[{}]', 'must be an object with rows'],
    ['no rows', '{}', 'rows must be a list'],
    ['rows that are no list', '{"rows":{}}', 'rows must be a list'],
    ['another member', '{"rows":[{}],"format":"jwt"}', 'There is no member format'],
    ['broken JSON', '{"rows":[', 'not valid JSON'],
    ['nothing', '', 'must be an object with rows'],
  ])('a body with %s is refused whole', async (_name, text, message) => {
    const answer = await sendText(text)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().message).toContain(message)
  })
})

test('the same Idempotency-Key starts one batch', async () => {
  const headers = { 'idempotency-key': 'one-batch' }
  const [first, second] = [await send([row()], headers), await send([row()], headers)]
  expect(second.body).toEqual(first.body)
  expect((await send([row(), row()], headers)).body.type).toBe('idempotency_mismatch')
  await service.finished(first.body.id)
})

test('a batch of another team is not held up by a long one', async () => {
  const team = await testTeam(service.scratch.db)
  const did = await service.did(team.apiKey)
  const { long, short } = await service.whileNobodyWorks(async () => ({
    long: await send(Array.from({ length: 600 }, () => row())),
    short: await service.call(
      'POST',
      '/credentials/batch',
      { rows: [{ credential: { issuer: did, subject: degree } }] },
      team.apiKey,
    ),
  }))
  await service.finished(short.body.id, team.apiKey)
  const { body } = await service.call('GET', `/jobs/${long.body.id}`)
  expect(body.result.done).toBeLessThan(600)
  await service.finished(long.body.id)
  expect((await linesOf(long.body.id)).filter(({ credential }) => credential)).toHaveLength(600)
})

test('two workers at one batch issue each row once', async () => {
  const rows = Array.from({ length: 300 }, (_, index) => ({
    credential: { id: `urn:two-workers:${index}`, issuer, subject: degree },
  }))
  const { body } = await service.whileNobodyWorks(() => send(rows))
  // A worker that lost its hold goes on with what it has read.
  const thief = setInterval(
    () =>
      void service.scratch.db.transaction('system', async (tx) => {
        await sql`update credential_batches set held_until = null where job_id = ${body.id}`.execute(tx)
      }),
    20,
  )
  const another = startBatches(service.loop.environment)
  await service.finished(body.id)
  clearInterval(thief)
  await another.loop.stop()
  expect(await count(sql`select count(*)::int from credentials where id like 'urn:two-workers:%'`)).toBe(300)
  expect(new Set((await linesOf(body.id)).map(({ credential }) => credential.id)).size).toBe(300)
})
