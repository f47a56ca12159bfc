import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { dropRoles } from '../../scripts/start/forget.js'
import type { StartOptions } from '../../scripts/start/options.js'
import { freePort, keptSettings, loadSettings } from '../../scripts/start/settings.js'
import { type Stack, startStack } from '../../scripts/start/stack.js'
import { scratchDatabase } from './scratch-database.js'

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export interface TestStack extends Stack {
  stateDir: string
  /** Turns every clock of the stack by so many milliseconds. */
  turnClock(offsetMs: number): Promise<void>
  /** Stops it and forgets its database and roles. */
  remove(): Promise<void>
}

/** The whole product, started as `npm start` starts it, on a database and in a folder of its own. */
export async function startTestStack(): Promise<TestStack> {
  const database = await scratchDatabase()
  const stateDir = await mkdtemp(join(tmpdir(), 'accredit-test-'))
  const clockOffsetFile = join(stateDir, 'clock-offset')
  await writeFile(clockOffsetFile, '0')
  const options: StartOptions = {
    projectRoot,
    environment: 'sandbox',
    fresh: false,
    tour: false,
    databaseUrl: database.url,
    stateDir,
    port: await freePort(),
  }
  const settings = await loadSettings(options)
  const stack = await startStack({ ...options, clockOffsetFile }, settings, { step: () => {}, tell: () => {} })
  return {
    ...stack,
    stateDir,
    turnClock: (offsetMs) => writeFile(clockOffsetFile, String(offsetMs)),
    remove: async () => {
      await stack.stop()
      await forgetRoles(database.url, stateDir)
      await database.drop()
      await rm(stateDir, { recursive: true, force: true })
    },
  }
}

async function forgetRoles(databaseUrl: string, stateDir: string): Promise<void> {
  const settings = await keptSettings(stateDir)
  if (!settings) return
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await dropRoles(client, settings)
  } finally {
    await client.end()
  }
}
