import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import { openDatabase } from '../../platform/database/open-database.js'
import { servicePool } from '../../platform/database/pool.js'
import { operation } from '../../platform/http/operation.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  testEnvironment,
  testTeam,
} from '../../platform/testing/scratch-database.js'

const who = operation({
  method: 'GET',
  url: '/who',
  operationId: 'who',
  tags: [],
  summary: '',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  response: { 200: Type.Any() },
  handler: async ({ team, principal: { role } }) => ({ team, role }),
})

let scratch: ScratchDatabase
let replicas: Awaited<ReturnType<typeof replica>>[]
beforeAll(async () => {
  scratch = await serviceDatabase()
  await testTeam(scratch.db)
  replicas = [await replica(), await replica()]
})
afterAll(async () => {
  for (const { close } of replicas ?? []) await close()
  await scratch.close()
})

/** An api with connections of its own. */
async function replica() {
  const pool = (url: string) => servicePool({ url, max: 2, applicationName: 'accredit-test' })
  const db = openDatabase(pool(scratch.tenantUrl), pool(scratch.systemUrl))
  const app = await buildApp(testEnvironment(scratch, { db }), [{ operations: [who] }])
  const call = async (key: string, header = 'svc-api-token') => {
    const answer = await app.inject({ url: '/who', headers: { [header]: key } })
    return answer.statusCode === 200 ? answer.json() : answer.statusCode
  }
  const close = async () => {
    await app.close()
    await db.close()
  }
  return { call, close }
}
const everywhere = (key: string, header?: string) => Promise.all(replicas.map(({ call }) => call(key, header)))

/** The command as it is compiled, in a process of its own. */
function command(...args: string[]): Promise<{ code: number; said: string }> {
  const program = fileURLToPath(new URL('../../../dist/key.js', import.meta.url))
  const env = { PATH: process.env.PATH, DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, said: stdout + stderr }),
    )
  })
}
async function create(...args: string[]) {
  const { code, said } = await command('create', ...args)
  const key = /^Key {2}(\S+)$/m.exec(said)?.[1] ?? ''
  const publicPart = /^Key (\S+) of team/m.exec(said)?.[1] ?? ''
  expect([code, key.startsWith(publicPart), key.length - publicPart.length]).toEqual([0, true, 52])
  return { key, publicPart }
}

test('a revoked key opens nothing on any replica, from the moment that the command has ended', async () => {
  const { key, publicPart } = await create('--role', 'administrator')
  const { key: other } = await create()
  expect(await everywhere(key)).toEqual(Array(2).fill({ team: 1, role: 'administrator' }))
  expect((await command('revoke', publicPart)).code).toBe(0)
  expect(await everywhere(key)).toEqual([401, 401])
  expect(await everywhere(other)).toEqual(Array(2).fill({ team: 1, role: 'member' }))
  const again = await command('revoke', publicPart)
  expect([again.code, again.said]).toEqual([1, expect.stringContaining(`No key has the public part ${publicPart}`)])
})

test('the list shows the metadata of every key in use, and never a key', async () => {
  const made = await create(
    '--alias',
    'for the press',
    '--ips',
    '203.0.113.0/24,2001:db8::1',
    '--expires',
    '2099-01-31',
  )
  const { key: limited } = made
  expect(await everywhere(limited)).toEqual([401, 401])
  const { said } = await command('list')
  expect(said).toMatch(
    new RegExp(
      `^${made.publicPart}  team 1 \\(Test team\\)  member  made \\S+  expires 2099-01-31T00:00:00.000Z  from 203.0.113.0/24, 2001:db8::1  "for the press"$`,
      'm',
    ),
  )
  expect(said).not.toMatch(/[0-9a-f]{13}/)
  await command('revoke', made.publicPart)
  expect((await command('list', '--team', '1')).said).not.toContain(made.publicPart)
})

test("a sponsor's key is listed as one, and opens no operation in any header", async () => {
  const { key, publicPart } = await create('--sponsor', '--alias', 'wallet')
  expect(key).toMatch(/^sk_test_/)
  for (const header of ['svc-api-token', 'x-mobile-sponsor-key'])
    expect(await everywhere(key, header)).toEqual([401, 401])
  expect((await command('list')).said).toMatch(new RegExp(`^${publicPart}  team 1 \\(Test team\\)  sponsor  `, 'm'))
  expect((await command('revoke', publicPart)).code).toBe(0)
})

test.each<[string[], RegExp]>([
  [[], /A command is missing/],
  [['destroy'], /There is no command destroy/],
  [['list', 'all'], /list takes options only/],
  [['list', '--role', 'owner'], /--role means nothing for list/],
  [['list', '--team', '99'], /There is no team 99/],
  [['revoke'], /revoke takes the public part of one key/],
  [['revoke', 'a', 'b'], /revoke takes the public part of one key/],
  [['create', '--sideways'], /sideways/],
  [['create', '--team', '99'], /There is no team 99/],
  [['create', '--team', 'one'], /--team is "one"/],
  [['create', '--role', 'king'], /--role is "king": expected one of owner, administrator, member/],
  [['create', '--sponsor', '--role', 'owner'], /A sponsor's key has no role/],
  [['create', '--alias', ' '], /--alias is a text/],
  [['create', '--ips', '203.0.113.0/33'], /--ips holds "203.0.113.0\/33"/],
  [['create', '--ips', '203.0.113.1,'], /--ips holds ""/],
  [['create', '--ips', '127.1'], /--ips holds "127.1"/],
  [['create', '--expires', 'soon'], /--expires is "soon": expected a date/],
  [['create', '--expires', '2027-02-30'], /--expires is "2027-02-30": expected a date/],
  [['create', '--expires', '2020-01-01'], /--expires is "2020-01-01", which is over/],
])('npm run key -- %s is refused with a sentence, and makes nothing', async (args, sentence) => {
  const keys = async () => (await command('list', '--json')).said
  const before = args[0] === 'create' && args.includes('99') ? await keys() : ''
  const { code, said } = await command(...args)
  expect([code, said]).toEqual([1, expect.stringMatching(sentence)])
  expect(said).not.toMatch(/^\s+at /m)
  if (before !== '') expect(await keys()).toBe(before)
})
