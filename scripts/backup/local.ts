import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { endWith } from '../start/command.js'
import { openFolder, startEmbeddedPostgres } from '../start/database/postgres.js'
import { roleNaming } from '../start/database/role-passwords.js'
import { withOwnDatabase } from '../start/installed.js'
import { asksForHelp, parseOptions, type StartOptions, splitPlace } from '../start/options.js'
import { freePort } from '../start/processes/ports.js'
import { Supervisor } from '../start/processes/supervisor.js'
import { messageOf, Refusal } from '../start/refusal.js'
import { forget } from '../start/state/forget.js'
import { journalFile } from '../start/state/journal.js'
import { lock } from '../start/state/lock.js'
import { keptSettings, loadSettings, type Settings, saveSettings, settingsFile } from '../start/state/settings.js'
import { backUp } from './back-up.js'
import { addJournal, countLines } from './journal.js'
import { type Copy, keyFilesIn, type Later, openCopy, requireEmptyDatabase, restore } from './restore.js'
import { tellBackup } from './words.js'

const backupUsage = `npm run backup -- [--to FOLDER] [--env sandbox|production] [--state FOLDER]
  Copies the database, the ledger and the keys of the installation in this folder, while it runs or not, as they were at
  one moment, into a new folder; by default backups/<environment>-<time>. Keep its folder keys apart from the rest:
  together they open everything. With DATABASE_URL, when it does not run: that database.
  The journal of erasures and revoked keys (erasures.jsonl in the state folder) is no part of a copy: a restore needs the
  newest one.`

const restoreUsage = `npm run restore -- FOLDER [options]
  Fills an empty state folder, and an empty database, from a copy that npm run backup made. Nothing may run here.
  --keys FOLDER      where its key files are, when they were kept apart
  --journal FILE     the newest journal of erasures and revoked keys (erasures.jsonl), of the place that the copy was made of;
                     one that lies in the state folder already is used without this
  --complete         nothing was written after the copy was made: status lists go on giving places
  --env, --state     where to, as for npm start
  DATABASE_URL names an empty PostgreSQL database to use instead of an embedded one.`

/** Makes a copy of this folder's installation. */
export async function backUpHere(argv: string[], projectRoot: string): Promise<void> {
  if (asksForHelp(argv)) return console.log(backupUsage)
  await endWith(async () => {
    const { place, rest } = splitPlace(argv)
    const { to } = parsed(backupUsage, () => parseArgs({ args: rest, options: { to: { type: 'string' } } }).values)
    const options = parseOptions(place, projectRoot, process.env)
    const { environment, stateDir } = options
    const time = new Date().toISOString().replace(/[:.]/g, '-')
    const folder = resolve(projectRoot, to ?? join('backups', `${environment}-${time}`))
    const keyFiles = { ...keyFilesIn(join(stateDir, 'keys')), 'settings.json': settingsFile(stateDir) }
    const manifest = await withOwnDatabase(options, (databaseUrl, settings) =>
      backUp({ projectRoot, databaseUrl, environment, shape: shapeOf(settings), keyFiles }, folder),
    )
    console.log(tellBackup(folder, manifest, journalFile(stateDir)))
    return 0
  })
}

/** Restores a copy into this folder. */
export async function restoreHere(argv: string[], projectRoot: string): Promise<void> {
  if (asksForHelp(argv)) return console.log(restoreUsage)
  await endWith(async () => {
    const { place, rest } = splitPlace(argv)
    const { values, positionals } = parsed(restoreUsage, () =>
      parseArgs({
        args: rest,
        allowPositionals: true,
        options: { keys: { type: 'string' }, journal: { type: 'string' }, complete: { type: 'boolean' } },
      }),
    )
    const [given, ...more] = positionals
    if (given === undefined || more.length > 0)
      throw new Refusal(`restore takes the folder of one copy.\n${restoreUsage}`)
    const options = parseOptions(place, projectRoot, process.env)
    const folder = resolve(projectRoot, given)
    const keysFolder = values.keys === undefined ? join(folder, 'keys') : resolve(projectRoot, values.keys)
    const unlock = await lock(options.stateDir)
    try {
      requireEmptyFolder(options.stateDir)
      const copy = await openCopy(folder, keysFolder, options)
      const journal = journalFile(options.stateDir)
      if (values.journal !== undefined) await addJournal(projectRoot, resolve(projectRoot, values.journal), journal)
      // A damaged journal is told before anything is written.
      else await countLines(projectRoot, [journal])
      const later = { isComplete: values.complete ?? false }
      const told = await filling(options, copy, (databaseUrl, settings) =>
        fill(copy, options, databaseUrl, settings, later),
      )
      for (const sentence of told) console.log(sentence)
      console.log(`Restored as of ${copy.manifest.made}. npm start brings it back.`)
    } finally {
      await unlock()
    }
    return 0
  })
}

/** The signer is always beside the rest here. */
const shapeOf = ({ ledgerUrls }: Pick<Settings, 'ledgerUrls'>) => ({
  isOnNetwork: ledgerUrls !== undefined,
  isSignerElsewhere: false,
})

function parsed<T>(usage: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new Refusal(`${messageOf(error)}\n${usage}`)
  }
}

function requireEmptyFolder(stateDir: string): void {
  const places = [settingsFile(stateDir), join(stateDir, 'keys'), join(stateDir, 'postgres')]
  const found = [...places, join(openFolder(stateDir), 'postgres')].find(existsSync)
  if (found !== undefined)
    throw new Refusal(
      `An installation is here already (${found}): a copy is restored into an empty folder, never over another. Move it away, and give the restore its journal: --journal FOLDER/erasures.jsonl.`,
    )
}

/**
 * Runs with the target's database. A restore that fails leaves nothing behind that a start would take for an
 * installation, and the journal of erasures where it was.
 */
async function filling(
  options: StartOptions,
  copy: Copy,
  run: (databaseUrl: string, settings: Settings) => Promise<string[]>,
): Promise<string[]> {
  if (options.databaseUrl !== undefined) await requireEmptyDatabase(options.databaseUrl)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const supervisor = new Supervisor(nowhere, (sentence) => console.error(sentence))
  try {
    const settings = await settingsOf(copy, options)
    await saveSettings(options.stateDir, settings)
    if (options.databaseUrl !== undefined) return await run(options.databaseUrl, settings)
    const access = { port: await freePort(), password: settings.databasePassword }
    return await run(await startEmbeddedPostgres(supervisor, options.stateDir, access), settings)
  } catch (error) {
    if (options.databaseUrl === undefined) await supervisor.stop()
    await forget(options)
    throw error
  } finally {
    await supervisor.stop()
  }
}

/**
 * Documents that were signed carry the port, so that it stays. The roles are new ones: the server may have those of the
 * original, which may still be in use.
 */
async function settingsOf({ keysFolder, manifest }: Copy, options: StartOptions): Promise<Settings> {
  const fresh = await loadSettings(options)
  if (!manifest.keys.some(({ path }) => path === 'keys/settings.json')) return fresh
  const kept = await keptSettings(keysFolder)
  if (!kept) throw new Refusal(`${settingsFile(keysFolder)} is damaged. Nothing was restored.`)
  if (options.port !== undefined && options.port !== kept.port)
    throw new Refusal(
      `The copy is of an installation that answers on port ${kept.port}: documents it signed carry that address.`,
    )
  return { ...fresh, ...kept, installation: fresh.installation, databasePassword: fresh.databasePassword }
}

/** Fills the database, and leaves it as `npm start` wants it. */
async function fill(copy: Copy, options: StartOptions, databaseUrl: string, settings: Settings, later: Later) {
  const { projectRoot, environment, stateDir } = options
  const keyFiles = keyFilesIn(join(stateDir, 'keys'))
  return restore(
    copy,
    {
      projectRoot,
      databaseUrl,
      environment,
      naming: await roleNaming(stateDir, settings),
      shape: shapeOf(settings),
      keyFiles,
      settings: {
        ENVIRONMENT: environment,
        MASTER_KEY_FILE: keyFiles['master.key'] ?? '',
        SERVICE_KEY_FILE: keyFiles['service.key'] ?? '',
        ERASURE_JOURNAL_FILE: journalFile(stateDir),
      },
    },
    later,
  )
}
