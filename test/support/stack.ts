import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { StartOptions } from '../../scripts/start/options.js'
import { freePort } from '../../scripts/start/processes/ports.js'
import { type Stack, startStack } from '../../scripts/start/stack.js'
import { dropRoles } from '../../scripts/start/state/forget.js'
import { keptSettings, loadSettings } from '../../scripts/start/state/settings.js'
import { scratchDatabase } from './scratch-database.js'

/** A process that tests kill again and again waits no longer for its next start than one that fell twice. */
const LONGEST_BACK_OFF_MS = 500

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export interface TestStack extends Stack {
  stateDir: string
  /** Turns every clock of the stack by so many milliseconds. */
  turnClock(offsetMs: number): Promise<void>
  /** Stops it and forgets its database and roles. */
  remove(): Promise<void>
}

/**
 * The whole product, started as `npm start` starts it, on a database and in a folder of its own.
 *
 * @param environment with plans, if it is production; settings come from the environment of the process
 */
export async function startTestStack(environment: StartOptions['environment'] = 'sandbox'): Promise<TestStack> {
  const database = await scratchDatabase()
  const stateDir = await mkdtemp(join(tmpdir(), 'accredit-test-'))
  const clockOffsetFile = join(stateDir, 'clock-offset')
  await setClock(clockOffsetFile, 0)
  const options: StartOptions = {
    projectRoot,
    environment,
    fresh: false,
    tour: false,
    databaseUrl: database.url,
    stateDir,
    port: await freePort(),
  }
  // A write takes long on a busy machine; its answer is to be the whole one.
  process.env.LEDGER_WAIT_MS = '60000'
  const settings = await loadSettings(options)
  const stack = await startStack({ ...options, clockOffsetFile, longestBackOffMs: LONGEST_BACK_OFF_MS }, settings, {
    step: () => {},
    tell: () => {},
  })
  return {
    ...stack,
    stateDir,
    turnClock: (offsetMs) => setClock(clockOffsetFile, offsetMs),
    remove: async () => {
      await stack.stop()
      await forgetRoles(database.url, stateDir)
      await database.drop()
      await rm(stateDir, { recursive: true, force: true })
    },
  }
}

/** Writes at once: a reader finds the one time or the other. */
async function setClock(file: string, offsetMs: number): Promise<void> {
  await writeFile(`${file}.new`, String(offsetMs))
  await rename(`${file}.new`, file)
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
