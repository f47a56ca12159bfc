import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { startEmbeddedPostgres } from './database/postgres.js'
import { freePort } from './processes/ports.js'
import { Supervisor } from './processes/supervisor.js'

/** The data need not be durable: nobody reads it after the machine has failed. */
const FORGETFUL = ['fsync=off', 'full_page_writes=off']

/** A database server for one run of the tests: real, in a temporary folder, gone afterwards. */
export async function startTestDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'accredit-database-'))
  // The folder is open to the server's own user.
  await chmod(folder, 0o755)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const supervisor = new Supervisor(nowhere, (sentence) => console.error(sentence))
  const access = { port: await freePort(), password: randomUUID() }
  const url = await startEmbeddedPostgres(supervisor, folder, { ...access, settings: FORGETFUL })
  return {
    url,
    stop: async () => {
      await supervisor.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
