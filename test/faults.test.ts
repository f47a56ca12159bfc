import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { didKey, schemaId } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReceiver, type Receiver } from '../api/src/webhooks/receiver.testing.js'
import { connect, each } from '../scripts/tour/client.js'
import { BlockGate } from './support/block-gate.js'
import { DeletedTeam, type Filled, type Progress } from './support/deleted-team.js'
import { builders } from './support/ecosystem.js'
import { killed, PATIENCE_MS, persistently, runningPid, until } from './support/kills.js'
import { requestsWith } from './support/requests.js'
import { startTestStack, type TestStack } from './support/stack.js'
import { SteadyLoad } from './support/steady-load.js'
import { changesIn, replayed } from './testing/random-statuses/revoked-places.js'

function universityRow(index: number, schemas: string[]) {
  const did = didKey({ kind: 'Ed25519', publicKey: `0x${(index + 1).toString(16).padStart(64, '0')}` })
  return { did, name: `University ${index}`, issuerSchemas: schemas }
}

interface DidStarted {
  did: string
  id: string
}

const ROUNDS = Number(process.env.SOAK_FAULT_ROUNDS ?? 1)
const PROCESSES = ['signer', 'indexer', 'ledger']
const KILLS = Number(process.env.SOAK_KILLS ?? 3)
/** They are killed in turn. */
const KILLED = ['worker', 'api']
const ROWS_OF_A_BATCH = Number(process.env.SOAK_FAULT_ROWS ?? 700)

describe('a stack whose processes are killed', () => {
  let stack: TestStack
  let receiver: Receiver
  beforeAll(async () => {
    // Deliveries of a killed worker are sent again after twice this.
    process.env.WEBHOOK_TIMEOUT_MS = '2000'
    ;[stack, receiver] = await Promise.all([startTestStack(), openReceiver()])
    const client = connect(stack.apiUrl, stack.apiKey)
    await client.call('POST', '/webhooks', { url: receiver.url, events: ['did_create'] })
  })
  afterAll(async () => {
    delete process.env.WEBHOOK_TIMEOUT_MS
    await stack?.remove()
    await receiver?.close()
  })

  /** Returns the ids under which the receiver was told that a DID was made. */
  const toldOf = (did: string) =>
    receiver.received.filter(({ data }) => data.userData === did).map(({ headers }) => headers['webhook-id'])

  it.each(Array.from({ length: ROUNDS }, () => PROCESSES).flat())(
    'comes back when the %s is killed under load, and every accepted DID becomes final exactly once and is told',
    async (name) => {
      const client = connect(stack.apiUrl, stack.apiKey)
      const pid = await runningPid(stack, name)
      const indexes = Array.from({ length: 20 }, (_, index) => index)
      const killedAt = ROUNDS === 1 ? 10 : randomInt(indexes.length)
      const accepted = await each(indexes, 12, async (index) => {
        if (index === killedAt) process.kill(pid, 'SIGKILL')
        return persistently(() => client.call<DidStarted>('POST', '/dids', {}))
      })
      await until(`${name} is back`, () => (stack.pids()[name] ?? pid) !== pid)
      await until(
        'the stack is ready',
        async () => (await fetch(`${stack.apiUrl}/ready`).catch(() => undefined))?.ok === true,
      )
      const request = requestsWith(stack.apiKey, stack.apiUrl)
      for (const { did, id } of accepted) {
        await client.finished(id, PATIENCE_MS)
        const { body } = await request('GET', `/dids/${did}/history?event=Did.Created`)
        expect(body.total).toBe(1)
      }
      await until('every DID is told', () => accepted.every(({ did }) => toldOf(did).length > 0))
      // Told again, perhaps, but as the same event.
      for (const { did } of accepted) expect(new Set(toldOf(did)).size).toBe(1)
    },
  )

  it(`loses no event and does nothing twice when api and worker are killed at random points, ${KILLS} times`, async () => {
    const { client, request, did } = await issuerIn(stack)
    const { id, data } = await client.call<{ id: string; data: { id: string } }>('POST', '/registries', {
      policy: [did],
    })
    await client.finished(id, PATIENCE_MS)
    const events = ['did_create', 'credential_issued', 'credential_revoke']
    const hook = await openReceiver()
    await client.call('POST', '/webhooks', { url: hook.url, events })

    const load = new SteadyLoad(request, did, data.id, 2)
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(randomInt(1_500))
      await killed(stack, [KILLED[kill % KILLED.length] ?? 'api'])
    }
    await load.stop()
    const { dids, revoked } = load
    expect(Math.min(dids.length, revoked.length)).toBeGreaterThan(KILLS)
    for (const { job } of [...dids, ...revoked])
      await persistently(() => client.finished(job, PATIENCE_MS).then(() => true))

    for (const made of dids) {
      const { body } = await request('GET', `/dids/${made.did}/history?event=Did.Created`)
      expect(body.total).toBe(1)
    }
    const listed = await request('GET', `/credentials?filter=urn:load:`, undefined, { accept: 'application/x-ndjson' })
    const credentials = ndjson(listed.body).filter(({ id }) => id.startsWith('urn:load:'))
    expect(credentials.map(({ id }) => id).sort()).toEqual(revoked.map(({ id }) => id).sort())
    // A place that was revoked twice is none of these.
    expect(replayed(await changesIn(request, data.id)).set).toHaveLength(revoked.length)

    const told = (event: string) =>
      new Set(hook.received.filter((one) => one.event === event).map(({ headers }) => headers['webhook-id'])).size
    const wanted = { did_create: dids.length, credential_issued: revoked.length, credential_revoke: revoked.length }
    const toldOnce = () => Object.fromEntries(events.map((event) => [event, told(event)]))
    await until('every event is told', () => Object.entries(wanted).every(([event, count]) => told(event) >= count))
    expect(toldOnce()).toEqual(wanted)
    await hook.close()
  })

  it('goes on with a batch of credentials when its worker is killed halfway, twice, and issues each row exactly once', async () => {
    const { client, request, did } = await issuerIn(stack)
    // One in a hundred cannot be issued: the bad ones are of every format.
    const isBad = (row: number) => row % 100 === 50 + (Math.floor(row / 100) % 5)
    const rows = Array.from({ length: ROWS_OF_A_BATCH }, (_, row) => ({
      revocable: row % 2 === 0,
      // Those of JSON-LD are the dearest.
      format: row % 10 < 2 ? 'jsonld' : row % 3 === 0 ? 'sdjwt' : 'jwt',
      credential: { id: `urn:batch:${row}`, issuer: did, subject: isBad(row) ? 'nobody' : { row } },
    }))
    for (const row of rows) if (row.format === 'sdjwt') row.revocable = false
    const bad = rows.filter(({ credential }) => credential.subject === 'nobody').length
    const { id } = await client.call<DidStarted>('POST', '/credentials/batch', { rows })
    const job = () => persistently(() => client.call<BulkJob>('GET', `/jobs/${id}`))
    let reached = 0
    for (let kill = 0; kill < 2; kill++) {
      const before = reached
      const isFurther = async () => {
        reached = (await job()).result.done ?? 0
        return reached > before
      }
      await until(`more than ${before} rows are done`, isFurther, 50)
      expect(reached).toBeLessThan(rows.length - bad)
      await killed(stack, ['worker'])
    }
    await client.finished(id, PATIENCE_MS)
    const { status, result } = await job()
    expect({ status, done: result.done }).toEqual({ status: 'finalized', done: rows.length - bad })
    const { body } = await request('GET', `/credentials/batch/${id}/result`, undefined, { accept: '*/*' })
    const lines = ndjson(body)
    expect(lines.map(({ row }) => row)).toEqual(rows.map((_, index) => index + 1))
    expect(lines.filter(({ error }) => error)).toHaveLength(bad)
    const listed = await request('GET', '/credentials', undefined, { accept: 'application/x-ndjson' })
    const issued = ndjson(listed.body).map((line) => line.id)
    const expected = rows.flatMap(({ credential }) => (credential.subject === 'nobody' ? [] : [credential.id]))
    expect(issued.filter((one) => one.startsWith('urn:batch:')).sort()).toEqual(expected.sort())
  })

  it('goes on with the deletion of a team when its worker is killed in each of its phases, and leaves nothing half gone', async () => {
    const parent = connect(stack.apiUrl, stack.apiKey)
    const { id: number } = await parent.call<{ id: number }>('POST', '/subaccounts', { name: 'Faculty' })
    const { token } = await parent.call<{ token: string }>('POST', `/subaccounts/${number}/keys`, { role: 'owner' })
    const child = connect(stack.apiUrl, token)
    const { did, id: job } = await child.call<{ did: string; id: string }>('POST', '/dids', {})
    await child.finished(job)
    const team = await DeletedTeam.open(stack.databaseUrl, number)
    try {
      await team.fill(ROWS)
      const refs = await team.keyRefs()
      expect(await team.sealedKeys(refs)).toBe(refs.length)

      const { deletion } = await parent.call<{ deletion: string }>('DELETE', `/subaccounts/${number}`)
      const before: Partial<Record<Filled, number>> = {}
      for (const phase of ['audit', 'jobs', 'profiles'] as const) {
        let seen = await team.progress()
        const isMidway = async () => {
          seen = await team.progress()
          return seen[phase].told > 0
        }
        await until(`the deletion is in its ${phase}`, isMidway, 5)
        const { told, left } = seen[phase]
        before[phase] = told + left
        await killed(stack, ['worker'])
        // It was killed before the phase was over.
        expect(left, phase).toBeGreaterThan(0)
        for (const [table, rows] of Object.entries(before))
          expect([table, isWhole((await team.progress())[table as Filled], rows)]).toEqual([table, true])
        expect((await requestsWith(token, stack.apiUrl)('GET', '/dids')).status).toBe(401)
      }
      const report = () => requestsWith(undefined, stack.apiUrl)('GET', `/data/deletions/${deletion}`)
      await until('the team is deleted', async () => (await report()).body.status === 'finalized')
      expect((await report()).body.counts).toMatchObject({ ...before, 'private keys': refs.length })
      expect(before.audit).toBeGreaterThanOrEqual(ROWS)
      expect(await team.left()).toEqual([])
      expect(await team.sealedKeys(refs)).toBe(0)
      // The ledger keeps the DID, and its parent all that it has.
      expect((await requestsWith(stack.apiKey, stack.apiUrl)('GET', `/dids/${did}`)).status).toBe(200)
      expect(await parent.call('GET', '/subaccounts')).toEqual([])
    } finally {
      await team.close()
    }
  })

  it('goes on with many participants when all that writes them is killed halfway, twice, and lists each exactly once', async () => {
    const make = builders(stack.apiUrl, stack.apiKey)
    const registry = await make.registry(await make.organisation('Council'), 'Universities')
    const rows = Array.from({ length: 200 }, (_, index) => universityRow(index, schemasOf(index)))
    // Two blocks cannot hold all of them.
    const gate = await BlockGate.on(stack.databaseUrl)
    await gate.letOneThrough()
    const { status, body } = await make.request('POST', `/trust-registries/${registry}/participants/bulk`, rows)
    expect(status).toBe(200)
    const job = () => persistently(() => make.client.call<BulkJob>('GET', `/jobs/${body.id}`))

    const writers = ['signer', 'worker', 'ledger', 'indexer']
    let reached = 0
    for (const names of [writers, [...writers, 'api']]) {
      const before = reached
      const isFurther = async () => {
        reached = (await job()).result.done ?? 0
        return reached > before
      }
      await until(`more than ${before} rows are done`, isFurther)
      expect(reached).toBeLessThan(rows.length)
      await killed(stack, names, () => gate.letOneThrough())
    }
    await gate.remove()

    await until('the job has ended', async () => ['finalized', 'error'].includes((await job()).status))
    expect(await job()).toMatchObject({
      status: 'finalized',
      result: { done: rows.length, total: rows.length, refused: [] },
    })
    const all = await make.request('GET', `/trust-registries/${registry}/participants?limit=1`)
    expect(all.body).toMatchObject({
      total: rows.length,
      list: [{ name: expect.stringMatching(/^University/), accepted: false }],
    })
    const history = `/trust-registries/${registry}/history?event=TrustRegistry.IssuerChanged`
    const told = await make.request('GET', history, undefined, { accept: 'application/x-ndjson' })
    expect(rightsIn(told.body)).toEqual(
      rows.flatMap(({ did, issuerSchemas }) => issuerSchemas.map((uri) => `${did} ${schemaId(uri)}`)).sort(),
    )
  })
})

/** The rows of a team that a deletion test fills a table with: it takes some ten pieces. */
const ROWS = 10_000

/** A deletion tells of each row that it took, in the same transaction: neither is ever there without the other. */
const isWhole = ({ told, left }: Progress[Filled], before: number): boolean => told + left === before

const ndjson = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

async function issuerIn(stack: TestStack) {
  const client = connect(stack.apiUrl, stack.apiKey)
  const { did, id } = await client.call<DidStarted>('POST', '/dids', {})
  await client.finished(id, PATIENCE_MS)
  return { client, did, request: requestsWith(stack.apiKey, stack.apiUrl) }
}

/** The rows have schemas that no other row has: few rows fit into one action then. */
const schemasOf = (row: number) => Array.from({ length: 9 }, (_, n) => `https://schema.example/${row}/${n}.json`)

interface BulkJob {
  status: string
  result: { done?: number }
}

/** Returns each right of a history as often as the ledger tells it. */
const rightsIn = (ndjson: string): string[] =>
  ndjson
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ subject, schemaId: schema }) => `${subject} ${schema}`)
    .sort()
