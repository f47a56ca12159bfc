import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireDatabase } from './database/database-failure.js'
import { startEmbeddedPostgres } from './database/postgres.js'
import { roleNaming } from './database/role-passwords.js'
import { prepareRooms, type Rooms } from './database/roles.js'
import type { StartOptions } from './options.js'
import { freePort } from './processes/ports.js'
import { runToEnd } from './processes/run-to-end.js'
import {
  apiEnvironment,
  apiProcess,
  indexerProcess,
  ledgerProcess,
  ledgerUrl,
  migrationEnvironment,
  ownLedgerUrl,
  publicUrl,
  type Site,
  signerEnvironment,
  signerProcess,
  workerProcess,
} from './processes/site.js'
import { type ProcessSpec, Supervisor } from './processes/supervisor.js'
import { codeOf, messageOf, Refusal } from './refusal.js'
import { bootstrapKey, type Reachable, ReadyFile, tellKeys } from './state/ready-file.js'
import { type Settings, saveSettings } from './state/settings.js'

export interface Stack extends Reachable {
  /** False where the fee account has too little: what is written waits. */
  hasFees: boolean
  /** The account that pays for what is written. */
  feeAccount: string
  /** Makes a further team and returns its key. */
  newTeam(name: string): Promise<string>
  /** Returns the keys that open something, a line each. */
  keys(): Promise<string[]>
  stop(): Promise<void>
}

/** Tests alone set these. */
interface TestOptions {
  clockOffsetFile?: string
  longestBackOffMs?: number
}

export interface Reporter {
  step(title: string): void
  tell(sentence: string): void
}

/** Starts every process in the order in which they need each other, and resolves when all of them are ready. */
export async function startStack(
  options: StartOptions & TestOptions,
  settings: Settings,
  report: Reporter,
  /** Breaks off a start that is under way: the started processes are stopped again, in order. */
  interrupted?: AbortSignal,
): Promise<Stack> {
  await mkdir(join(options.stateDir, 'keys'), { recursive: true, mode: 0o700 })
  const readyFile = new ReadyFile(options.stateDir)
  await readyFile.remove()
  const log = createWriteStream(join(options.stateDir, 'accredit.log'), { flags: 'a', mode: 0o600 })
  log.on('error', (error) =>
    report.tell(`The log cannot be written any more (${codeOf(error)}); the service runs on without it.`),
  )
  let publish = () => {}
  const supervisor = new Supervisor(log, report.tell, () => publish(), options.longestBackOffMs)
  const stop = async () => {
    publish = () => {}
    try {
      await readyFile.remove()
    } finally {
      await supervisor.stop()
      log.end()
    }
  }
  const breakOff = () => void supervisor.stop()
  interrupted?.addEventListener('abort', breakOff)
  try {
    interrupted?.throwIfAborted()
    const { site, databaseUrl } = await prepareSite(options, settings, supervisor, report)
    await startProcesses(site, supervisor, report, interrupted)
    const stack: Stack = {
      apiUrl: publicUrl(site),
      apiKey: await bootstrapKey(site, report.tell),
      keys: () => tellKeys(site),
      ...ledgerPlaces(site),
      feeAccount: site.feeAccount,
      hasFees: await hasFees(site, report),
      databaseUrl,
      pids: () => supervisor.pids(),
      newTeam: async (name) => {
        const made = await runToEnd(site, 'api/dist/team.js', ['--name', name], apiEnvironment(site))
        return String(made.apiKey)
      },
      stop,
    }
    publish = () => void readyFile.write(stack).catch((error) => report.tell(String(error)))
    await readyFile.write(stack)
    return stack
  } catch (error) {
    await stop().catch((left) => report.tell(messageOf(left)))
    interrupted?.throwIfAborted()
    throw error
  } finally {
    interrupted?.removeEventListener('abort', breakOff)
  }
}

/** A network's nodes have no door of our own. */
function ledgerPlaces(site: Site): Pick<Stack, 'ledgerUrl' | 'ownLedgerUrl'> {
  const [node] = site.ledgerUrls ?? []
  if (node !== undefined) return { ledgerUrl: node, ownLedgerUrl: node }
  return { ledgerUrl: ledgerUrl(site), ownLedgerUrl: ownLedgerUrl(site) }
}

async function prepareSite(options: StartOptions, settings: Settings, supervisor: Supervisor, report: Reporter) {
  report.step('Database')
  if (options.databaseUrl !== undefined) await requireDatabase(options.databaseUrl)
  // The settings are written before they are used: the next start after a broken one must find the same password, roles
  // and port.
  await saveSettings(options.stateDir, settings)
  const databaseUrl =
    options.databaseUrl ??
    (await startEmbeddedPostgres(supervisor, options.stateDir, {
      port: await freePort(),
      password: settings.databasePassword,
    }))
  const rooms = await prepareRooms(databaseUrl, await roleNaming(options.stateDir, settings))
  if (!rooms.separate)
    report.tell(
      'Warning: this database role may not create roles, so every process uses it; give each its own in production.',
    )
  const place = await describeSite(options, settings, rooms)
  const [{ feeAccount }] = await Promise.all([
    runToEnd(place, 'signer/dist/main.js', ['init'], signerEnvironment(place)),
    runToEnd(place, 'api/dist/migrate.js', [], migrationEnvironment(place)),
  ])
  if (typeof feeAccount !== 'string') throw new Refusal('The signer did not name its fee account.')
  return { site: { ...place, feeAccount }, databaseUrl }
}

async function describeSite(
  options: StartOptions & TestOptions,
  settings: Settings,
  rooms: Rooms,
): Promise<Omit<Site, 'feeAccount'>> {
  return {
    projectRoot: options.projectRoot,
    stateDir: options.stateDir,
    environment: options.environment,
    apiPort: settings.port,
    ledgerPort: settings.ledgerPort,
    ledgerUrls: settings.ledgerUrls,
    ledgerToken: randomBytes(32).toString('hex'),
    signerSocket: await socketPath(options.stateDir),
    rooms,
    clockOffsetFile: options.clockOffsetFile,
  }
}

/** The socket stands beside the state, unless that path is longer than the system allows for a socket. */
async function socketPath(stateDir: string): Promise<string> {
  const beside = join(stateDir, 'signer.sock')
  if (beside.length < 100) return beside
  const folder = join(tmpdir(), `accredit-${createHash('sha256').update(stateDir).digest('hex').slice(0, 12)}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return join(folder, 'signer.sock')
}

/**
 * Starts each process as early as it can be of use: most of a start is the loading of code. Signer and API wait for the
 * ledger by themselves; the indexer would wait longer than the ledger takes, and the worker complain of a signer that is
 * not there yet.
 */
async function startProcesses(
  site: Site,
  supervisor: Supervisor,
  report: Reporter,
  interrupted?: AbortSignal,
): Promise<void> {
  report.step(`${site.ledgerUrls === undefined ? 'Ledger, signer' : 'Signer'}, indexer, API and worker`)
  await rm(site.signerSocket, { force: true })
  const after = (other: Promise<unknown>, spec: ProcessSpec) =>
    supervisor.start({ ...spec, before: async () => void (await other) })
  // The order is also that in which they are stopped, the last one first.
  const ledger = site.ledgerUrls === undefined ? supervisor.start(ledgerProcess(site)) : Promise.resolve()
  const signer = supervisor.start(signerProcess(site))
  const indexer = after(ledger, indexerProcess(site))
  const api = supervisor.start(apiProcess(site))
  const worker = after(signer, workerProcess(site))
  await Promise.all([ledger, signer, indexer, api, worker])
  await untilReady(publicUrl(site), interrupted)
}

/** An account without money writes nothing, which nobody would guess from a service that is ready. */
async function hasFees(site: Site, report: Reporter): Promise<boolean> {
  const answer = await fetch(`${publicUrl(site)}/ledger/status`).catch(() => undefined)
  const { writing }: { writing?: unknown } = answer?.ok ? JSON.parse(await answer.text()) : {}
  if (writing !== 'waiting_for_fees') return true
  report.tell(
    `The fee account ${site.feeAccount} has too little on this ledger: what is written is accepted, and waits until the account is given more. On a network of this machine: npm run network -- fund ${site.feeAccount}.`,
  )
  return false
}

/** A process may have opened its port and still wait for another: only /ready speaks for all of them. */
async function untilReady(apiUrl: string, interrupted?: AbortSignal): Promise<void> {
  let reason = ''
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await new Promise((next) => setTimeout(next, 50))) {
    interrupted?.throwIfAborted()
    const answer = await fetch(`${apiUrl}/ready`).catch(() => undefined)
    if (answer?.ok) return
    reason = answer ? await answer.text() : 'no answer'
  }
  throw new Refusal(`The API did not become ready: ${reason}`)
}
