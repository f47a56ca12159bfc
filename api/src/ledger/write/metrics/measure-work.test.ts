import pg from 'pg'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { forAllTests } from '../../../platform/testing/for-all-tests.js'
import { testTeam } from '../../../platform/testing/scratch-database.js'
import { storeIdleHook } from '../../../webhooks/idle-hook.testing.js'
import { indexedDatabase, testIndex } from '../../testing/test-index.js'
import { measureWork } from './measure-work.js'

const world = forAllTests(async () => {
  const scratch = await indexedDatabase()
  const ledger = await testIndex(scratch)
  const admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  const registry = new Registry()
  measureWork(registry, { db: scratch.db, index: ledger.index })
  return {
    scratch,
    admin,
    registry,
    async close() {
      await admin.end()
      await ledger.close()
      await scratch.close()
    },
  }
})

async function hoursIn(registry: Registry, metric: string): Promise<number> {
  const text = await registry.getSingleMetricAsString(metric)
  return Math.floor(Number(/^\w+ (.*)$/m.exec(text)?.[1]) / 3600)
}

test('the metrics tell since when the oldest delivery is due, but for those that an erasure of their team holds', async () => {
  const { scratch, admin, registry } = world()
  const hoursDue = () => hoursIn(registry, 'accredit_webhook_oldest_due_seconds')
  const waiting = async (hours: number) => {
    const { team } = await testTeam(scratch.db)
    await scratch.db.transaction('system', async (tx) => {
      await storeIdleHook(tx, team, ['did_create'])
      await tx.emit('did_create', {}, team)
    })
    const made = 'update service.webhook_deliveries set created = now() - make_interval(hours => $2) where team_id = $1'
    await admin.query(made, [team, hours])
    return team
  }
  const held = await waiting(5)
  await waiting(1)
  expect(await hoursDue()).toBe(5)
  const begun = `insert into service.erasures (id, team_id, started, marks) values (gen_random_uuid(), $1, now(), '{}')`
  await admin.query(begun, [held])
  expect(await hoursDue()).toBe(1)
  const end = (minutesAgo: number) =>
    admin.query('update service.erasures set ended = now() - make_interval(mins => $1)', [minutesAgo])
  await end(9)
  expect(await hoursDue()).toBe(1)
  await end(11)
  expect(await hoursDue()).toBe(5)
})

test('the metrics tell how long the oldest deletion or erasure is open', async () => {
  const { scratch, admin, registry } = world()
  const { team } = await testTeam(scratch.db)
  const hoursOpen = () => hoursIn(registry, 'accredit_forgetting_oldest_open_seconds')
  const begin = (table: 'deletions' | 'erasures', hours: number) =>
    admin.query(
      `insert into service.${table} (id, team_id, started${table === 'erasures' ? ', marks' : ''})
       values (gen_random_uuid(), $1, now() - make_interval(hours => $2)${table === 'erasures' ? `, '{}'` : ''})`,
      [team, hours],
    )
  expect(await hoursOpen()).toBe(0)
  await begin('deletions', 2)
  expect(await hoursOpen()).toBe(2)
  await begin('erasures', 3)
  expect(await hoursOpen()).toBe(3)
  await admin.query('update service.erasures set ended = now()')
  expect(await hoursOpen()).toBe(2)
  await admin.query('update service.deletions set ended = now()')
  expect(await hoursOpen()).toBe(0)
})
