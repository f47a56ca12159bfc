import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { StartOptions } from './options.js'
import { Refusal } from './refusal.js'
import type { RoleNaming } from './roles.js'

/** What the first start decides and every later one keeps: signed documents carry these addresses. */
export interface Settings {
  port: number
  /** Part of the names of this installation's database roles, so that two can share a server. */
  installation: string
  rolePassword: string
  /** Of the embedded database's superuser. */
  databasePassword: string
  tourDone: boolean
}

/** Roles are the server's, not the database's: their names carry the installation. */
export const roleNaming = ({ installation, rolePassword }: Settings): RoleNaming => ({
  name: (room) => `accredit_${installation}_${room}`,
  password: () => rolePassword,
})

export const settingsFile = (stateDir: string) => join(stateDir, 'settings.json')

export async function writePrivately(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600 })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

export async function loadSettings(options: StartOptions): Promise<Settings> {
  const kept = await readSettings(options.stateDir)
  if (kept) {
    if (options.port !== undefined && options.port !== kept.port)
      throw new Refusal(
        `This installation answers on port ${kept.port} since its first start, and documents it signed carry that address. Start with --fresh to change it.`,
      )
    return kept
  }
  const settings: Settings = {
    port: options.port ?? (options.environment === 'sandbox' ? 3300 : 3400),
    installation: randomBytes(4).toString('hex'),
    rolePassword: randomBytes(24).toString('base64url'),
    databasePassword: randomBytes(24).toString('base64url'),
    tourDone: false,
  }
  return settings
}

/** What an earlier start decided, when it can still be read. */
export const keptSettings = (stateDir: string): Promise<Settings | undefined> =>
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

async function readSettings(stateDir: string): Promise<Settings | undefined> {
  let text: string
  try {
    text = await readFile(settingsFile(stateDir), 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new Refusal(`${settingsFile(stateDir)} cannot be read: ${codeOf(error)}.`)
  }
  const found: Partial<Settings> = parseJson(text) ?? {}
  const { port, installation, rolePassword, databasePassword, tourDone } = found
  if (typeof port !== 'number' || !installation || !rolePassword || !databasePassword)
    throw new Refusal(`${settingsFile(stateDir)} is damaged. Restore it, or start with --fresh to forget everything.`)
  return { port, installation, rolePassword, databasePassword, tourDone: tourDone === true }
}

function parseJson(text: string): Partial<Settings> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function codeOf(error: unknown): string {
  if (error instanceof Error) return 'code' in error && typeof error.code === 'string' ? error.code : error.message
  return String(error)
}

/** Below those that the system gives to whoever does not mind which, also for a connection of his own. */
const CHOSEN = { from: 10_240, count: 20_480 }
/** Processes that start at the same time have numbers near to each other. */
const OF_A_PROCESS = 16
let asked = 0

/** A port that nobody listens on now, and that nobody gets by chance until it is used. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < CHOSEN.count; tries += 1) {
    const port = CHOSEN.from + ((process.pid * OF_A_PROCESS + asked++) % CHOSEN.count)
    if ((await failureToListen(port)) === undefined) return port
  }
  throw new Refusal('There is no free port.')
}

/** Refuses, before anything is started, when somebody else listens on the port of the API. */
export async function requireFreePort(port: number): Promise<void> {
  const failure = await failureToListen(port)
  if (failure === 'EADDRINUSE')
    throw new Refusal(
      `Port ${port} is taken by another program. Stop it, or (first start only) choose another port: npm start -- --port N`,
    )
  if (failure !== undefined) throw new Refusal(`Port ${port} cannot be opened: ${failure}.`)
}

/** Why a port cannot be listened on now. */
function failureToListen(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(codeOf(error)))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)))
  })
}
