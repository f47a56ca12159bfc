import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { endWith } from '../start/command.js'
import { openFolder } from '../start/database/postgres.js'
import { keptRoleNaming } from '../start/database/role-passwords.js'
import { preparedUrls } from '../start/database/roles.js'
import { withOwnDatabase } from '../start/installed.js'
import { asksForHelp, parseOptions, type StartOptions, splitPlace } from '../start/options.js'
import { requireFreePort } from '../start/processes/ports.js'
import { publicUrl } from '../start/processes/site.js'
import { messageOf } from '../start/refusal.js'
import { journalFile } from '../start/state/journal.js'
import { isAlive } from '../start/state/lock.js'
import { requireKeptSettings } from '../start/state/lost-settings.js'
import { type KeptSettings, keptSettings, settingsFile } from '../start/state/settings.js'
import { examine } from './examine.js'
import { type Finding, fault, notChecked, ok, tell } from './finding.js'
import { checkDisks, checkNode } from './machine.js'
import type { Place } from './place.js'

const usage = `npm run doctor -- [--json] [--env sandbox|production] [--state FOLDER]
  Tells what is wrong with the installation in this folder, and what to do. It changes nothing, whether Accredit runs or
  not. Ends with 1 when there is a fault. --json: the findings for programs. In the production shape:
  docker compose run --rm prepare node scripts/dist/doctor/production.js`

/** Examines this folder's installation. */
export async function examineHere(argv: string[], projectRoot: string): Promise<void> {
  if (asksForHelp(argv)) return console.log(usage)
  await endWith(async () => {
    const { place, rest } = splitPlace(argv)
    const { json } = parseArgs({ args: rest, options: { json: { type: 'boolean' } } }).values
    return tell(await findingsOf(parseOptions(place, projectRoot, process.env)), json ?? false)
  })
}

async function findingsOf(options: StartOptions): Promise<Finding[]> {
  const { stateDir } = options
  const settings = await keptSettings(stateDir)
  const beforehand = [checkNode(), ...checkDisks({ folders: { 'the state folder': stateDir } })]
  if (!settings) return [...beforehand, lostSettings(stateDir)]
  const ready = readyFile(stateDir)
  const { isRunning, findings } = running(stateDir, ready)
  const around = [...findings, ...(isRunning ? [] : await portsOf(settings))]
  try {
    const found = await withOwnDatabase(options, async (databaseUrl) =>
      examine(await placeOf(options, settings, databaseUrl, isRunning)),
    )
    return [...around, ...found]
  } catch (error) {
    const remedy = 'See accredit.log in the state folder, and the findings about disk and ports.'
    return [...beforehand, ...around, fault('database', messageOf(error), remedy)]
  }
}

function lostSettings(stateDir: string): Finding {
  try {
    requireKeptSettings(stateDir)
  } catch (error) {
    return fault('settings', messageOf(error), 'Bring the folder back from a copy (npm run restore).')
  }
  if (existsSync(settingsFile(stateDir)))
    return fault('settings', `${settingsFile(stateDir)} cannot be read.`, 'Bring it back from a copy.')
  return notChecked('settings', `No installation is in ${stateDir}: npm start makes one.`)
}

interface ReadyFacts {
  pids?: Record<string, number>
}

function readyFile(stateDir: string): ReadyFacts | undefined {
  const file = join(stateDir, 'ready.json')
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

/** A ready.json whose supervisor is gone sends programs to nobody. */
function running(stateDir: string, ready: ReadyFacts | undefined): { isRunning: boolean; findings: Finding[] } {
  if (ready === undefined)
    return { isRunning: false, findings: [notChecked('processes', 'Accredit does not run here.')] }
  const dead = Object.entries(ready.pids ?? {}).filter(([, pid]) => !isAlive(pid))
  const isRunning = ready.pids !== undefined && !dead.some(([name]) => name === 'supervisor')
  if (!isRunning) {
    const says = `${join(stateDir, 'ready.json')} is stale: its supervisor is gone.`
    return {
      isRunning,
      findings: [fault('processes', says, 'Start Accredit again, which writes it anew, or remove it.')],
    }
  }
  if (dead.length === 0) return { isRunning, findings: [ok('processes', 'Every process runs.')] }
  const names = dead.map(([name]) => name).join(', ')
  return {
    isRunning,
    findings: [fault('processes', `Gone: ${names}.`, 'See accredit.log for why; the supervisor starts it again.')],
  }
}

async function portsOf({ port, ledgerPort, ledgerUrls }: KeptSettings): Promise<Finding[]> {
  const findings: Finding[] = []
  const ownLedger = ledgerUrls === undefined ? ledgerPort : undefined
  for (const [what, number] of Object.entries({ API: port, ledger: ownLedger })) {
    if (number === undefined) continue
    try {
      await requireFreePort(number, 'end what listens there.')
      findings.push(ok('port', `Port ${number} of the ${what} is free.`))
    } catch (error) {
      findings.push(fault('port', messageOf(error), `Find the program that holds it: ss -ltnp "sport = :${number}".`))
    }
  }
  return findings
}

async function placeOf(
  { projectRoot, stateDir }: StartOptions,
  settings: KeptSettings,
  databaseUrl: string,
  isRunning: boolean,
): Promise<Place> {
  const keys = (name: string): string => join(stateDir, 'keys', name)
  const open = openFolder(stateDir)
  const names = ['master.key', 'service.key', 'ledger.key', 'api-key']
  return {
    projectRoot,
    folders: { 'the state folder': stateDir, ...(existsSync(open) && { 'the database': open }) },
    keyFiles: Object.fromEntries(names.map((name) => [name, keys(name)])),
    journal: journalFile(stateDir),
    databases: { owner: databaseUrl, ...(await preparedUrls(databaseUrl, await keptRoleNaming(stateDir, settings))) },
    apiUrl: isRunning ? publicUrl({ apiPort: settings.port }) : undefined,
    publicUrl: undefined,
    redisUrl: process.env.REDIS_URL || undefined,
    smtpUrl: process.env.SMTP_URL || undefined,
    certificates: [],
  }
}
