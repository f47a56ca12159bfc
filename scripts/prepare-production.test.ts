import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { environmentOf as composeEnvironment, type Elsewhere } from '../test/support/compose.js'
import { roleNaming } from './start/database/role-passwords.js'
import { prepareRooms, roomNames } from './start/database/roles.js'
import { startTestDatabase } from './start/test-database.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Each character means something in a URL; base64 has some of them. */
const ODD = 'p/@:x?#%41+=&[ '

let folder: string
/** The roles are the container's, on a server of its own, which asks for their passwords. */
let server: Awaited<ReturnType<typeof startTestDatabase>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-prepare-'))
  await mkdir(join(folder, 'signer'))
  await mkdir(join(folder, 'ledger'))
  server = await startTestDatabase()
  await mkdir(join(folder, 'secrets'))
  const secret = (name: string, text: string) => writeFile(join(folder, 'secrets', name), text, { mode: 0o600 })
  await secret('postgres-password', decodeURIComponent(new URL(server.url).password))
  for (const room of roomNames) await secret(`${room}-database-password`, `${room} ${ODD}`)
  const env = { PATH: process.env.PATH, SECRETS: join(folder, 'secrets') }
  await execute('sh', [join(root, 'scripts/operate/make-secrets')], { env })
})
afterAll(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Passwords are in files; each has characters that mean something in a URL. */
function elsewhere(): Elsewhere {
  const { host, pathname } = new URL(server.url)
  return {
    given: { PUBLIC_HOST: 'api.example' },
    places: [
      ['@postgres:5432/accredit', `@${host}${pathname}`],
      ['/run/secrets', join(folder, 'secrets')],
      ['/data', folder],
    ],
  }
}
const environmentOf = (service: string) => composeEnvironment(service, elsewhere())

const execute = promisify(execFile)
async function run(args: string[], env: Record<string, string>): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const { stdout } = await execute(process.execPath, args, { cwd: root, env: { PATH, HOME, ...env } })
  return stdout.trim()
}
const prepare = () => run(['scripts/dist/start/prepare-production.js'], environmentOf('prepare'))

test('the preparation of the compose file, once and again, lets each process in as its own role, with any password, and makes a key', async () => {
  const first = await prepare()
  expect(first).toMatch(/^Prepared\. The fee account is 5\w+\.$/)
  const account = await readFile(join(folder, 'ledger', 'fee-account'), 'utf8')
  expect(first).toContain(account.trim())
  expect(await prepare()).toBe(first)

  const whoAmI = `const { default: { Client } } = await import('pg')
    const { secretsFrom } = await import('@accredit/process/secret-files')
    secretsFrom(process.env)
    const client = new Client({ connectionString: process.env.DATABASE_URL })
    await client.connect()
    console.log((await client.query('select current_user as name')).rows[0].name)
    await client.end()`
  const names = ['ledger', 'signer', 'indexer', 'api', 'worker'].map((service) =>
    run(['--input-type=module', '-e', whoAmI], environmentOf(service)),
  )
  const [chain, signer, ledger, api] = ['chain', 'signer', 'ledger', 'api'].map((room) => `accredit_${room}`)
  expect(await Promise.all(names)).toEqual([chain, signer, ledger, api, api])

  const made = JSON.parse(await run(['api/dist/team.js', '--name', 'First team'], environmentOf('api')))
  expect(made).toEqual({ teamId: 1, apiKey: expect.stringMatching(/^ak_live_/) })
})

test('a local installation has a password for each role, which opens no other; the api reads no keys and creates nothing', async () => {
  const state = await mkdtemp(join(folder, 'state-'))
  const settings = { installation: 'abcd1234' }
  const url = new URL(server.url)
  url.pathname = '/local'
  await as(server.url, 'create database local')
  const { urls } = await prepareRooms(url.href, await roleNaming(state, settings))
  for (const room of roomNames) expect((await stat(join(state, 'keys', `database-${room}`))).mode & 0o777).toBe(0o600)
  for (const room of roomNames)
    for (const other of roomNames) {
      const login = new URL(urls[room])
      login.username = new URL(urls[other]).username
      const answer = await as(login.href, 'select current_user as name')
      expect([room, other, answer]).toEqual([room, other, room === other ? login.username : '28P01'])
    }

  await as(urls.signer, 'create table signer.keys (sealed bytea)')
  await as(urls.ledger, `create table ledger.block (height int); grant usage on schema ledger to ${roleOf(urls.api)}`)
  const made = ['service', 'public', 'signer', 'ledger', 'chain'].map((schema) => `create table ${schema}.mine (n int)`)
  await as(url.href, 'create schema service')
  await as(url.href, `grant usage on schema service to ${roleOf(urls.api)}, ${roleOf(urls.system)}`)
  const refused = ['select * from signer.keys', 'drop table signer.keys', 'create schema mine', ...made]
  for (const role of [urls.api, urls.system])
    for (const statement of [...refused, 'create database mine', 'create role mine', `set role ${roleOf(urls.signer)}`])
      expect([statement, await as(role, statement)]).toEqual([statement, '42501'])
  for (const role of [urls.chain, urls.signer]) expect(await as(role, 'create schema mine')).toBe('42501')

  // A second run finds its passwords; a lost one is replaced, and grants of an earlier version are taken back.
  await rm(join(state, 'keys', 'database-api'))
  await as(url.href, `grant create on database local to ${roleOf(urls.api)}`)
  const again = (await prepareRooms(url.href, await roleNaming(state, settings))).urls
  expect([again.system, again.api === urls.api]).toEqual([urls.system, false])
  expect([await as(again.api, 'select current_user as name'), await as(urls.api, 'select 1')]).toEqual([
    roleOf(urls.api),
    '28P01',
  ])
  expect(await as(again.api, 'create schema mine')).toBe('42501')
})

const roleOf = (url: string): string => new URL(url).username

/** Asks as a role, and returns the name in the first row, or the reason for which it is refused. */
async function as(url: string, statement: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    return (await client.query<{ name?: string }>(statement)).rows?.[0]?.name
  } catch (error) {
    return error instanceof pg.DatabaseError ? error.code : String(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}
