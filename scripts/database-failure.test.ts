import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { readConfig as readApi } from '../api/src/config.js'
import { readSettings as readLedger } from '../chain/embedded/src/settings.js'
import { readConfig as readSigner } from '../signer/src/config.js'
import { requireDatabase, requirePostgresUrl } from './start/database/database-failure.js'
import { startTestDatabase } from './start/test-database.js'

const { configOf: readIndexer }: { configOf: (env: NodeJS.ProcessEnv) => unknown } = createRequire(import.meta.url)(
  '../indexer/lib/config.js',
)

const PASSWORD = 'the-password'

/** Returns the thrown error, which never tells the password. */
async function refusal(run: () => unknown): Promise<string> {
  try {
    await run()
  } catch (error) {
    expect(String(error)).not.toContain(PASSWORD)
    return String(error)
  }
  throw new Error('it was taken')
}

const WRONG = [
  `https://role:${PASSWORD}@127.0.0.1/x`,
  `mysql://role:${PASSWORD}@127.0.0.1/x`,
  `role:${PASSWORD}@127.0.0.1`,
  `postgres://role:${PASSWORD}/#@127.0.0.1:port/x`,
]

const rest = { LEDGER_URL: 'ws://x', MASTER_KEY_FILE: 'x', SIGNER_SOCKET: 'x', LEDGER_KEY_FILE: 'x' }

test.each([
  ['npm start', ({ DATABASE_URL = '' }: Record<string, string>) => requirePostgresUrl(DATABASE_URL)],
  ['the api', readApi],
  ['the signer', readSigner],
  ['the indexer', readIndexer],
  ['the ledger', readLedger],
] as const)('%s takes the URL of a Postgres database, and names the setting that holds another', async (_who, read) => {
  for (const url of ['postgres://role@host/x', 'postgresql://role@host:5433/x?sslmode=require'])
    read({ ...rest, DATABASE_URL: url })
  for (const url of WRONG) expect(await refusal(() => read({ ...rest, DATABASE_URL: url }))).toContain('DATABASE_URL')
})

test('a wrong password, role and database are each named as such', async () => {
  // The server checks passwords, as that of npm test does.
  const given = process.env.TEST_DATABASE_URL
  const { url, stop } = given ? { url: given, stop: async () => {} } : await startTestDatabase()
  try {
    await requireDatabase(url)
    const wrong = (change: (url: URL) => void): Promise<string> => {
      const changed = new URL(url)
      changed.password = PASSWORD
      change(changed)
      return refusal(() => requireDatabase(changed.href))
    }
    const { username, password, host } = new URL(url)
    expect(await wrong(() => {})).toContain(`(${host}) refuses the password of ${username}`)
    expect(await wrong((changed) => Object.assign(changed, { username: 'nobody' }))).toContain('the password of nobody')
    expect(await wrong((changed) => Object.assign(changed, { password, pathname: '/nothing' }))).toContain(
      'has no database nothing',
    )
  } finally {
    await stop()
  }
})

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `postgres://role:${PASSWORD}@127.0.0.1:${(server.address() as AddressInfo).port}/x`
}

test.each([
  ['speaks HTTP', () => createHttpServer()],
  ['greets as another database does', () => createServer((socket) => socket.end('J\0\0\0\n8.0.30\0'))],
  ['hangs up', () => createServer((socket) => socket.end())],
])('a server that %s is named as no PostgreSQL', async (_what, make) => {
  const server = make()
  const told = await refusal(async () => requireDatabase(await listening(server)))
  expect(told).toMatch(
    /The database of DATABASE_URL cannot be reached \(127.0.0.1:\d+\): what answers there is no Post/,
  )
  server.close()
})

test('a port that nobody listens on is told as such', async () => {
  expect(await refusal(() => requireDatabase(`postgres://role:${PASSWORD}@127.0.0.1:1/x`))).toContain('ECONNREFUSED')
})
