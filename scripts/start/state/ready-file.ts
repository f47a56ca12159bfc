import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runToEnd } from '../processes/run-to-end.js'
import { apiEnvironment, publicUrl, type Site } from '../processes/site.js'
import { codeOf, Refusal } from '../refusal.js'
import { writePrivately } from './settings.js'

/** The addresses of a running product. */
export interface Reachable {
  apiUrl: string
  apiKey: string
  ledgerUrl: string
  /** The ledger's URL with the token of our own processes, which get in however many others are connected. */
  ownLedgerUrl: string
  databaseUrl: string
  pids(): Record<string, number>
}

/**
 * Tells programs that everything is ready, and where: written last, by rename, and removed first. One write at a time:
 * the newest list of processes is the one that stays.
 */
export class ReadyFile {
  private readonly path: string
  private last: Promise<void> = Promise.resolve()
  private guard: ChildProcess | undefined

  constructor(stateDir: string) {
    this.path = join(stateDir, 'ready.json')
  }

  write({ pids, apiUrl, apiKey, ledgerUrl, ownLedgerUrl, databaseUrl }: Reachable): Promise<void> {
    this.guard ??= guardOf(this.path)
    return this.next(() => {
      const places = { apiUrl, apiKey, ledgerUrl, ownLedgerUrl, databaseUrl }
      const ready = { ...places, pids: { supervisor: process.pid, ...pids() } }
      return writePrivately(this.path, `${JSON.stringify(ready, null, 2)}\n`)
    })
  }

  remove(): Promise<void> {
    return this.next(() =>
      rm(this.path, { force: true }).catch((error) => {
        throw new Refusal(`${this.path} cannot be removed: ${codeOf(error)}.`)
      }),
    )
  }

  private next(change: () => Promise<void>): Promise<void> {
    const done = this.last.then(change)
    this.last = done.catch(() => {})
    return done
  }
}

/**
 * The shell reads until this process is gone, however it ends, and then removes the file, unless a later start wrote
 * it.
 */
export const GUARD = 'cat >/dev/null; grep -Eq "\\"supervisor\\": $1(,|$)" "$0" 2>/dev/null && rm -f "$0"'

/** The shell outlives this process: one that is killed can remove nothing itself. */
function guardOf(path: string): ChildProcess {
  const args = ['-c', GUARD, path, String(process.pid)]
  const guard = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  // The file stays without a shell, and names processes that are gone.
  guard.on('error', () => {})
  guard.stdin?.on('error', () => {})
  guard.unref()
  return guard
}

/**
 * Returns the key of the first team, made at the first start and kept in a file that only its owner can read. When the
 * file is lost, or its key is not known any more (another database, or it was revoked), a new one is made for the same
 * team. The API must be ready.
 */
export async function bootstrapKey(site: Site, tell: (sentence: string) => void): Promise<string> {
  const file = join(site.stateDir, 'keys', 'api-key')
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (kept !== '' && (await isKnown(site, kept))) return kept
  const { apiKey } = await runToEnd(site, 'api/dist/team.js', ['--first'], apiEnvironment(site))
  if (typeof apiKey !== 'string') throw new Refusal('No key for the first team could be made.')
  await writePrivately(file, `${apiKey}\n`)
  if (kept !== '')
    tell(
      `The key in ${file} is not known to this database (it is another one, or the key was revoked): a new one is there now.`,
    )
  return apiKey
}

async function isKnown(site: Site, key: string): Promise<boolean> {
  const answer = await fetch(`${publicUrl(site)}/jobs/0`, { headers: { 'SVC-API-TOKEN': key } })
  if (answer.status !== 401) return true
  const { type }: { type?: unknown } = JSON.parse(await answer.text())
  return type === 'ip_not_allowed'
}

/** Returns a line for each key that opens something, with its public facts: a lost key still opens. */
export async function tellKeys(site: Site): Promise<string[]> {
  const { keys } = await runToEnd(site, 'api/dist/key.js', ['list', '--json'], apiEnvironment(site))
  const lines = Array.isArray(keys) ? keys.map(keyLine) : []
  const shown = lines.slice(-MOST_TOLD)
  if (shown.length < lines.length) shown.unshift(`${lines.length - shown.length} older ones: npm run key -- list`)
  return shown
}

const MOST_TOLD = 10

/** Writes a key of the list that `npm run key -- list --json` tells as a line: a sponsor's has no role that counts. */
export function keyLine({ key, kind, team, role, alias, created, expires }: Record<string, unknown>): string {
  const until = typeof expires === 'string' ? `, until ${expires}` : ''
  const opens = kind === 'sponsor' ? "sponsor's key" : `key of ${role === 'member' ? 'a' : 'an'} ${role}`
  return `${key}…  ${opens}, team ${team}, made ${created}${until}${typeof alias === 'string' ? `, "${alias}"` : ''}`
}
