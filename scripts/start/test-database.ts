import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { openFolder, startEmbeddedPostgres } from './database/postgres.js'
import { freePort } from './processes/ports.js'
import { Supervisor } from './processes/supervisor.js'

/**
 * The data need not be durable: nobody reads it after the machine has failed. Nor are its passwords secrets: each of
 * thousands of connections would hash one thousands of times, on both sides.
 */
const FORGETFUL = ['fsync=off', 'full_page_writes=off', 'scram_iterations=1']

const PREFIX = 'accredit-database-'
const MEMORY = '/dev/shm'
/** The data of a whole run take a fraction of it. */
const ROOM_BYTES = 8 * 2 ** 30

/** A database server for one run of the tests: real, in a temporary folder, gone afterwards. */
export async function startTestDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(await roomyFolder(), PREFIX))
  // The folder is open to the server's own user.
  await chmod(folder, 0o755)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const supervisor = new Supervisor(nowhere, (sentence) => console.error(sentence))
  const access = { port: await freePort(), password: randomUUID() }
  const url = await startEmbeddedPostgres(supervisor, folder, {
    ...access,
    settings: FORGETFUL,
    dataDir: join(folder, 'postgres'),
  })
  return {
    url,
    stop: async () => {
      await supervisor.stop()
      for (const made of [folder, openFolder(folder)]) await rm(made, { recursive: true, force: true })
    },
  }
}

/**
 * Names the memory where it has room, or the folder for temporary files. Tests make and drop hundreds of databases of a
 * thousand files each, which takes a disk's file system several times as long.
 */
async function roomyFolder(): Promise<string> {
  await removeLeftovers().catch(() => {})
  const memory = await statfs(MEMORY).catch(() => undefined)
  const room = memory === undefined ? 0 : Math.min(memory.bavail * memory.bsize, freemem())
  return room < ROOM_BYTES ? tmpdir() : MEMORY
}

/** A run that was killed leaves its data behind: of an ended server, in a folder that nobody has just made. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(MEMORY)) {
    const folder = join(MEMORY, name)
    if (!name.startsWith(PREFIX) || existsSync(join(folder, 'postgres', 'postmaster.pid'))) continue
    if ((await stat(folder)).mtimeMs < Date.now() - 600_000) await rm(folder, { recursive: true, force: true })
  }
}
