import { type RawBuilder, sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../app.js'
import { indexedDatabase, MAX_LAG_MS, testIndex } from '../ledger/testing/test-index.js'
import type { Environment } from '../platform/http/context.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { testEnvironment, testTeam } from '../platform/testing/scratch-database.js'
import { storeIdleHook } from '../webhooks/idle-hook.testing.js'
import { forgetIncidents, sweepHealth } from './check-health.js'
import { health } from './operations.js'

const MINUTE = 60_000

/** The service over a database whose index the test writes; the signer is a stranger whose answers the test decides. */
const world = forAllTests(async () => {
  const scratch = await indexedDatabase()
  const ledger = await testIndex(scratch)
  await ledger.blocks(10, { start: new Date(Date.now() - 10_000) })
  const at = { ms: 0, isPoor: false, isSignerThere: true }
  const chainStatus = async () => {
    if (!at.isSignerThere) throw new Error('connect ENOENT /run/secret/place.sock')
    return { fees: { isPoor: at.isPoor, balance: '1', waitingActions: 0 } }
  }
  const environment = testEnvironment(scratch, {
    index: ledger.index,
    clock: { now: () => new Date(Date.now() + at.ms) },
    signer: { chainStatus } as unknown as Environment['signer'],
  })
  const app = await buildApp(environment, [health])
  return {
    scratch,
    ledger,
    at,
    environment,
    app,
    async close() {
      await app.close()
      await ledger.close()
      await scratch.close()
    },
  }
})

const clear = async () => {
  await world().scratch.db.transaction('system', async (tx) => {
    await tx.deleteFrom('incidents').execute()
    await tx.deleteFrom('health_checks').execute()
  })
}
beforeEach(async () => {
  Object.assign(world().at, { ms: 0, isPoor: false, isSignerThere: true })
  await world().ledger.finality({ height: 10 })
  await clear()
})

async function page(headers: Record<string, string> = {}) {
  const { statusCode, headers: sent, body } = await world().app.inject({ url: '/status', headers })
  const text = body
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
  return { status: statusCode, sent, body, text }
}
const sweep = () => sweepHealth(world().environment)
const stored = () =>
  world().scratch.db.read('system', (reader) => reader.selectFrom('incidents').selectAll().orderBy('id').execute())

test('the page tells that everything works, and how far the ledger and its index are', async () => {
  await sweep()
  const { status, sent, text } = await page()
  expect([status, sent['content-type'], sent['cache-control']]).toEqual([200, 'text/html; charset=utf-8', 'no-cache'])
  expect(sent['content-security-policy']).toMatch(/^default-src 'none'/)
  expect(text).toMatch(/Everything works\. .*The ledger is at block 10 .*Answers are of block 10 .*0 blocks, 0 seconds/)
  expect(text).toContain('Nothing failed.')
  expect(text).not.toContain('Does not work')
})

test('a part that fails is an incident from the first look on, and until the first look at which it works', async () => {
  const { at } = world()
  at.isSignerThere = false
  await sweep()
  at.ms = MINUTE
  await sweep()
  const going = await page()
  expect(going.text).toMatch(/Not everything works/)
  expect(going.text).toMatch(/Signing and the connection to the ledger: does not work since \d/)
  expect(going.body).not.toContain('secret')
  at.isSignerThere = true
  at.ms = 2 * MINUTE
  await sweep()
  const [incident, ...others] = await stored()
  expect(others).toEqual([])
  expect((incident?.ended?.getTime() ?? 0) - (incident?.began.getTime() ?? 0)).toBeGreaterThanOrEqual(2 * MINUTE - 1000)
  expect((await page()).text).toMatch(/Signing and the connection to the ledger: did not work from \d.* to \d/)
})

/** Makes a team with an event that waits for its receiver, until the end of the test. */
async function teamThatWaits(): Promise<number> {
  const { scratch, environment } = world()
  const { team } = await testTeam(scratch.db)
  await environment.db.transaction('system', async (tx) => {
    await storeIdleHook(tx, team, ['did_create'])
    await tx.emit('did_create', {}, team)
  })
  onTestFinished(async () => {
    await environment.db.transaction('system', (tx) => tx.deleteFrom('webhooks').where('team_id', '=', team).execute())
  })
  return team
}

test('an index that lags, poor fees and deliveries that nobody makes are told', async () => {
  const { ledger, at } = world()
  await ledger.finality({ height: 10, behindMsAgo: MAX_LAG_MS + 1000 })
  at.isPoor = true
  await teamThatWaits()
  at.ms = 11 * MINUTE
  await sweep()
  expect((await stored()).map(({ component }) => component).sort()).toEqual(['fees', 'index', 'webhooks'])
})

test('deliveries that an erasure of their team holds are no incident, and have their time when it has ended', async () => {
  const { at, environment } = world()
  const team = await teamThatWaits()
  const write = (statement: RawBuilder<unknown>) =>
    environment.db.transaction('system', (tx) => statement.execute(tx).then(() => undefined))
  await write(
    sql`insert into service.erasures (id, team_id, started, marks) values (gen_random_uuid(), ${team}, now(), '{}')`,
  )
  const componentsAfter = async (minutes: number) => {
    at.ms = minutes * MINUTE
    await clear()
    await sweep()
    return (await stored()).map(({ component }) => component)
  }
  expect(await componentsAfter(11)).not.toContain('webhooks')
  await write(sql`update service.erasures set ended = now() + interval '20 minutes'`)
  expect(await componentsAfter(29)).not.toContain('webhooks')
  expect(await componentsAfter(31)).toContain('webhooks')
})

test('a time in which nobody looked is an incident of the worker, also after a restart', async () => {
  const { at } = world()
  await sweep()
  at.ms = 5 * MINUTE
  expect((await page()).text).toMatch(/Work in the background Does not work/)
  await sweep()
  expect(await stored()).toMatchObject([{ component: 'worker', ended: expect.any(Date) }])
  expect((await page()).text).toMatch(/Work in the background Works/)
})

test('two workers that look at once note an incident once, and one of 90 days ago is forgotten', async () => {
  const { at, environment } = world()
  at.isSignerThere = false
  await Promise.all([sweep(), sweep(), sweep()])
  expect(await stored()).toHaveLength(1)
  at.isSignerThere = true
  await sweep()
  at.ms = 91 * 24 * 60 * MINUTE
  await forgetIncidents(environment)
  expect(await stored()).toEqual([])
})

test('the page speaks Turkish to those who prefer it', async () => {
  await sweep()
  const { body, text } = await page({ 'accept-language': 'tr' })
  expect(body).toContain('<html lang="tr">')
  expect(text).toContain('Her şey çalışıyor.')
})
