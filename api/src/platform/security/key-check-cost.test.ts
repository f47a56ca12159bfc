import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readConfig } from '../../config.js'
import type { Database } from '../database/database.js'
import { forAllTests } from '../testing/for-all-tests.js'
import { serviceDatabase, testTeam } from '../testing/scratch-database.js'
import { admit } from './access.js'
import { hashKey, keyAuthenticator } from './authentication.js'
import { KEY_PREFIX } from './key-prefix.js'

const KEYS = 500
const CHECKS = 2_500

const world = forAllTests(async () => {
  const scratch = await serviceDatabase()
  const { team } = await testTeam(scratch.db)
  const keys = Array.from({ length: KEYS }, () => KEY_PREFIX.api.sandbox + randomBytes(32).toString('hex'))
  await scratch.db.transaction('system', (tx) =>
    tx
      .insertInto('api_keys')
      .values(
        keys.map((key) => ({
          team_id: team,
          hash: hashKey(key),
          public_part: key.slice(0, 20),
          role: 'member' as const,
          ips: ['127.0.0.0/8', '2001:db8::/32'],
          alias: null,
          created_by: null,
        })),
      )
      .execute(),
  )
  let calls = 0
  const counted: Pick<Database, 'call'> = {
    call: (statement) => {
      calls += 1
      return scratch.db.call(statement)
    },
  }
  const config = readConfig({ DATABASE_URL: scratch.tenantUrl })
  const authenticator = keyAuthenticator(counted, config)
  return {
    keys,
    calls: () => calls,
    ask: (key: string, role: 'member' | 'administrator' = 'member') =>
      admit({ auth: 'key', role }, authenticator, {
        headers: { 'svc-api-token': key },
        address: '127.0.0.1',
        now: new Date(),
        aliases: [],
      }),
    close: () => authenticator.close().then(scratch.close),
  }
})

/** The milliseconds of processor of a check, on the average of many. */
async function costOf(keys: readonly string[], checks: number): Promise<number> {
  const before = process.cpuUsage()
  for (let n = 0; n < checks; n++) await world().ask(keys[n % keys.length] ?? '')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / checks
}

test('a key check takes less than 0.2 ms of processor, in the best of four rounds, with 500 keys as with one', async () => {
  const { keys } = world()
  await costOf(keys, KEYS)
  // Other work of the process counts too: the round with the least of it tells.
  const costs = { one: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY }
  for (let round = 0; round < 4; round++) {
    costs.one = Math.min(costs.one, await costOf(keys.slice(0, 1), CHECKS))
    costs.all = Math.min(costs.all, await costOf(keys, CHECKS))
  }
  expect(costs.all).toBeLessThan(0.2)
  expect(costs.all).toBeLessThan(costs.one + 0.05)
})

test('keys in use are looked up together, about once a second, however many they are', async () => {
  const { keys, ask, calls } = world()
  for (const key of keys) await ask(key)
  const before = calls()
  const begun = performance.now()
  let checks = 0
  for (; performance.now() - begun < 2_500; checks++) await ask(keys[checks % KEYS] ?? '')
  expect(checks).toBeGreaterThan(2 * KEYS)
  // Each time one for the first that is over, and one or two for the others.
  expect(calls() - before).toBeLessThanOrEqual(12)
})

test('the decision about a role costs no query', async () => {
  const { keys, ask, calls } = world()
  const [key = ''] = keys
  await ask(key)
  const before = calls()
  const until = performance.now() + 200
  let refused = 0
  while (performance.now() < until) await ask(key, 'administrator').catch(() => (refused += 1))
  expect(refused).toBeGreaterThan(10)
  // The key is looked up once a second, whatever is decided.
  expect(calls() - before).toBeLessThanOrEqual(1)
})
