import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startTestDatabase } from './start/test-database.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const compose: { services: Record<string, { environment: Record<string, string> }> } = parse(
  await readFile(join(root, 'docker-compose.yml'), 'utf8'),
  { merge: true },
)

/** Each means something in a URL; base64 has some of them. */
const ODD = 'p/@:x?#%41+=&[ '

let folder: string
/** With the container's roles, which are the server's: on one of its own, which asks for their passwords. */
let server: Awaited<ReturnType<typeof startTestDatabase>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-prepare-'))
  await mkdir(join(folder, 'signer'))
  await mkdir(join(folder, 'ledger'))
  server = await startTestDatabase()
})
afterAll(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** What the compose file gives a service, but for where the database and the volumes are. */
function environmentOf(service: string): Record<string, string> {
  const { host, password, pathname } = new URL(server.url)
  const given: Record<string, string> = {
    POSTGRES_PASSWORD: decodeURIComponent(password),
    PUBLIC_URL: 'https://api.example',
  }
  const fill = (value: string) =>
    value
      .replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, otherwise: string) => {
        if (kind === '-') return given[name] ?? otherwise
        return given[name] ?? `${name} ${ODD}`
      })
      .replace('@postgres:5432/accredit', `@${host}${pathname}`)
      .replace(/^\/data/, folder)
  const set = Object.entries(compose.services[service]?.environment ?? {})
  return Object.fromEntries(set.map(([name, value]) => [name, fill(value)]))
}

const execute = promisify(execFile)
async function run(args: string[], env: Record<string, string>): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const { stdout } = await execute(process.execPath, args, { cwd: root, env: { PATH, HOME, ...env } })
  return stdout.trim()
}
const prepare = () => run(['scripts/dist/start/prepare-production.js'], environmentOf('prepare'))

test('what the compose file prepares, once and again, lets each process in as its own role, with any password, and makes a key', async () => {
  const first = await prepare()
  expect(first).toMatch(/^Prepared\. The fee account is 5\w+\.$/)
  const account = await readFile(join(folder, 'ledger', 'fee-account'), 'utf8')
  expect(first).toContain(account.trim())
  expect(await prepare()).toBe(first)

  const whoAmI = `const { default: { Client } } = await import('pg')
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
  expect(made).toEqual({ teamId: 1, apiKey: expect.stringMatching(/^ak_test_/) })
})
