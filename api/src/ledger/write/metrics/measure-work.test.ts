import pg from 'pg'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { forAllTests } from '../../../platform/testing/for-all-tests.js'
import { testTeam } from '../../../platform/testing/scratch-database.js'
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

test('the metrics tell how long the oldest deletion or erasure is open', async () => {
  const { scratch, admin, registry } = world()
  const { team } = await testTeam(scratch.db)
  const hoursOpen = async () => {
    const text = await registry.getSingleMetricAsString('accredit_forgetting_oldest_open_seconds')
    return Math.floor(Number(/^\w+ (.*)$/m.exec(text)?.[1]) / 3600)
  }
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
