import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { apiEnvironment, publicUrl, type Site } from './processes.js'
import { Refusal } from './refusal.js'
import { runToEnd } from './run-to-end.js'
import { writePrivately } from './settings.js'

/** Where a running product is reached. */
export interface Reachable {
  apiUrl: string
  apiKey: string
  ledgerUrl: string
  databaseUrl: string
  pids(): Record<string, number>
}

const readyFile = (stateDir: string) => join(stateDir, 'ready.json')

/** Tells programs that everything is ready, and where: written last, by rename, and removed first. */
export async function writeReadyFile(stateDir: string, stack: Reachable): Promise<void> {
  const { apiUrl, apiKey, ledgerUrl, databaseUrl } = stack
  const pids = { supervisor: process.pid, ...stack.pids() }
  await writePrivately(
    readyFile(stateDir),
    `${JSON.stringify({ apiUrl, apiKey, ledgerUrl, databaseUrl, pids }, null, 2)}\n`,
  )
}

export const removeReadyFile = (stateDir: string): Promise<void> => rm(readyFile(stateDir), { force: true })

/**
 * The key of the first team, made at the first start and kept in a file that only its owner can read. When the file is lost, or
 * its key is not known any more (another database, or it was revoked), a new one is made for the same team. The API must be ready.
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
