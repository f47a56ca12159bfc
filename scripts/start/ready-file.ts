import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { apiEnvironment, type Site } from './processes.js'
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

/** The key of the first team, made at the first start and kept in a file that only its owner can read. */
export async function bootstrapKey(site: Site): Promise<string> {
  const file = join(site.stateDir, 'keys', 'api-key')
  const kept = await readFile(file, 'utf8').catch(() => '')
  if (kept.trim() !== '') return kept.trim()
  const { apiKey } = await runToEnd(
    site,
    'api/dist/team.js',
    ['--name', 'First team', '--role', 'owner'],
    apiEnvironment(site),
  )
  if (typeof apiKey !== 'string') throw new Refusal('No key for the first team could be made.')
  await writePrivately(file, `${apiKey}\n`)
  return apiKey
}
