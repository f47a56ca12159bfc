import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, writeDurably } from '@accredit/process/durable-files'
import type { RoomName } from '../database/roles.js'
import type { StartOptions } from '../options.js'
import { freePort } from '../processes/ports.js'
import { codeOf, Refusal } from '../refusal.js'

/** Settings that the first start decides and every later one keeps: signed documents carry these addresses. */
export interface Settings {
  port: number
  /** The port at which Substrate tools reach the ledger. */
  ledgerPort: number
  /** The nodes of the network of validators that this installation runs on; undefined: it has a ledger of its own. */
  ledgerUrls?: string[] | undefined
  /** A part of the names of this installation's database roles, so that two can share a server. */
  installation: string
  /** The password of the embedded database's superuser. */
  databasePassword: string
  tourDone: boolean
}

/** Roles are the server's, not the database's: their names carry the installation. */
export const roleName = ({ installation }: Pick<Settings, 'installation'>, room: RoomName): string =>
  `accredit_${installation}_${room}`

/**
 * The settings as an earlier start left them. Those of earlier versions had another port for the ledger at each start.
 */
export type KeptSettings = Omit<Settings, 'ledgerPort'> & Partial<Pick<Settings, 'ledgerPort'>>

export const settingsFile = (stateDir: string) => join(stateDir, 'settings.json')

/** Puts a file in the place of another one: it is on the disk when this resolves, and a crash leaves the one or the other. */
export async function writePrivately(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    await writeDurably(temporary, text)
    await rename(temporary, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

export async function loadSettings(options: StartOptions): Promise<Settings> {
  const settings = await chosenSettings(options)
  if (settings.ledgerPort === settings.port)
    throw new Refusal(`Port ${settings.port} is the API's: choose another one for the ledger (--ledger-port N).`)
  return settings
}

async function chosenSettings(options: StartOptions): Promise<Settings> {
  const kept = await readSettings(options.stateDir)
  if (kept) {
    if (options.port !== undefined && options.port !== kept.port)
      throw new Refusal(
        `This installation answers on port ${kept.port} since its first start, and documents it signed carry that address. Start with --fresh to change it.`,
      )
    // Nothing that is signed carries the ledger's port: a user who asks for another one gets it.
    if (options.ledgerUrls !== undefined && kept.ledgerUrls === undefined)
      throw new Refusal(
        'This installation has a ledger of its own since its first start, and what it issued stands there. Another one (--state FOLDER) can run on a network.',
      )
    const ledgerUrls = options.ledgerUrls ?? kept.ledgerUrls
    return { ...kept, ledgerPort: options.ledgerPort ?? kept.ledgerPort ?? (await freePort()), ledgerUrls }
  }
  const settings: Settings = {
    port: options.port ?? (options.environment === 'sandbox' ? 3300 : 3400),
    ledgerPort: options.ledgerPort ?? (await freePort()),
    ledgerUrls: options.ledgerUrls,
    installation: randomBytes(4).toString('hex'),
    databasePassword: randomBytes(24).toString('base64url'),
    tourDone: false,
  }
  return settings
}

/** Reads the settings of an earlier start; undefined where they cannot be read. */
export const keptSettings = (stateDir: string): Promise<KeptSettings | undefined> =>
  readSettings(stateDir).catch(() => undefined)

export const saveSettings = (stateDir: string, settings: Settings): Promise<void> =>
  writePrivately(settingsFile(stateDir), `${JSON.stringify(settings, null, 2)}\n`)

export async function makeStateDir(stateDir: string): Promise<void> {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o755 })
  } catch (error) {
    throw new Refusal(`The folder ${stateDir} cannot be made: ${codeOf(error)}. Accredit keeps its state there.`)
  }
}

async function readSettings(stateDir: string): Promise<KeptSettings | undefined> {
  let text: string
  try {
    text = await readFile(settingsFile(stateDir), 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new Refusal(`${settingsFile(stateDir)} cannot be read: ${codeOf(error)}.`)
  }
  const found: Partial<Settings> = parseJson(text) ?? {}
  const { port, ledgerPort, ledgerUrls, installation, databasePassword, tourDone } = found
  if (typeof port !== 'number' || !installation || !databasePassword)
    throw new Refusal(`${settingsFile(stateDir)} is damaged. Restore it, or start with --fresh to forget everything.`)
  return {
    port,
    ...(typeof ledgerPort === 'number' && { ledgerPort }),
    ...(Array.isArray(ledgerUrls) && { ledgerUrls }),
    installation,
    databasePassword,
    tourDone: tourDone === true,
  }
}

function parseJson(text: string): Partial<Settings> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
