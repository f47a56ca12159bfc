import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { requireDatabase } from './database/database-failure.js'
import { openFolder, startEmbeddedPostgres } from './database/postgres.js'
import { keptRoleNaming, roleNaming } from './database/role-passwords.js'
import { preparedUrls, prepareRooms, type Rooms } from './database/roles.js'
import type { StartOptions } from './options.js'
import { freePort } from './processes/ports.js'
import { Supervisor } from './processes/supervisor.js'
import { Refusal } from './refusal.js'
import { journalFile } from './state/journal.js'
import { lock } from './state/lock.js'
import { type KeptSettings, keptSettings } from './state/settings.js'

/**
 * Runs a command of the api on the database of this folder's installation: the one in use while it runs, else the
 * embedded one, started for the command alone, or the one that DATABASE_URL names.
 */
export async function withInstallation<T>(
  options: StartOptions,
  run: (environment: Record<string, string>) => Promise<T>,
): Promise<T> {
  const settings = await requireSettings(options)
  const environment = (urls: Rooms['urls']) => ({
    ENVIRONMENT: options.environment,
    DATABASE_URL: urls.api,
    SYSTEM_DATABASE_URL: urls.system,
    SERVICE_KEY_FILE: join(options.stateDir, 'keys', 'service.key'),
    ERASURE_JOURNAL_FILE: journalFile(options.stateDir),
  })
  const unlock = await lock(options.stateDir).catch(() => undefined)
  if (unlock === undefined) return run(environment((await running(options.stateDir, settings)).urls))
  try {
    return await withStopped(options, settings, async (databaseUrl) => {
      const { urls } = await prepareRooms(databaseUrl, await roleNaming(options.stateDir, settings))
      return run(environment(urls))
    })
  } finally {
    await unlock()
  }
}

/** Runs a command on the database of this folder's installation in the same way, as the role that owns it. */
export async function withOwnDatabase<T>(
  options: StartOptions,
  run: (databaseUrl: string, settings: KeptSettings) => Promise<T>,
): Promise<T> {
  const settings = await requireSettings(options)
  const unlock = await lock(options.stateDir).catch(() => undefined)
  if (unlock === undefined) return run((await readyFacts(options.stateDir)).databaseUrl, settings)
  try {
    return await withStopped(options, settings, (databaseUrl) => run(databaseUrl, settings))
  } finally {
    await unlock()
  }
}

/**
 * Returns the login URL of each role of the installation that runs here, and the ledger's URL for its own processes.
 */
export async function runningInstallation(options: StartOptions): Promise<Running> {
  const settings = await requireSettings(options)
  const unlock = await lock(options.stateDir).catch(() => undefined)
  if (unlock === undefined) return running(options.stateDir, settings)
  await unlock()
  throw new Refusal(`Accredit does not run in ${options.stateDir}: start it first (npm start).`)
}

async function requireSettings({ stateDir }: StartOptions): Promise<KeptSettings> {
  const settings = await keptSettings(stateDir)
  if (!settings) throw new Refusal(`No installation of Accredit is in ${stateDir}: start it first (npm start).`)
  return settings
}

interface Running {
  urls: Rooms['urls']
  ownLedgerUrl: string
  /** The nodes of the network that the installation runs on, if it has no ledger of its own. */
  ledgerUrls: string[] | undefined
}

/** The supervisor writes this file when all is ready. */
async function readyFacts(stateDir: string): Promise<{ databaseUrl: string; ownLedgerUrl: string }> {
  const text = await readFile(join(stateDir, 'ready.json'), 'utf8').catch(() => '')
  if (text === '') throw new Refusal('Accredit is starting or stopping here: try again when it has.')
  return JSON.parse(text)
}

async function running(stateDir: string, settings: KeptSettings): Promise<Running> {
  const { databaseUrl, ownLedgerUrl } = await readyFacts(stateDir)
  const urls = await preparedUrls(databaseUrl, await keptRoleNaming(stateDir, settings))
  return { urls, ownLedgerUrl, ledgerUrls: settings.ledgerUrls }
}

async function withStopped<T>(
  { databaseUrl, stateDir }: StartOptions,
  settings: KeptSettings,
  run: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  if (databaseUrl !== undefined) {
    await requireDatabase(databaseUrl)
    return run(databaseUrl)
  }
  const made = join('postgres', 'PG_VERSION')
  if (![stateDir, openFolder(stateDir)].some((folder) => existsSync(join(folder, made))))
    throw new Refusal('This installation has no database of its own: set DATABASE_URL to the one that it uses.')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const supervisor = new Supervisor(nowhere, (sentence) => console.error(sentence))
  try {
    const access = { port: await freePort(), password: settings.databasePassword }
    return await run(await startEmbeddedPostgres(supervisor, stateDir, access))
  } finally {
    await supervisor.stop()
  }
}
