import { createHash, randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, Refusal } from '../refusal.js'
import { makeStateDir } from './settings.js'

export const lockName = 'supervisor.lock'

/**
 * Lets one supervisor run per state folder. The file names its process by number and time of birth, since numbers are
 * reused: a file that a killed supervisor left behind holds nobody up. proper-lockfile keeps its locks alive by a
 * timer, so that a start after a crash would wait until the lock is stale, and a supervisor that is held up would lose
 * its own.
 */
export async function lock(stateDir: string): Promise<() => Promise<void>> {
  await makeStateDir(stateDir)
  return take(join(stateDir, lockName))
}

/**
 * Makes the lock beside its place and links it: nobody reads half of it, and the system decides between several that
 * try at once.
 */
async function take(path: string): Promise<() => Promise<void>> {
  const own = `${path}.${randomUUID()}`
  try {
    // Each lock differs from any other, so that a fact about one that was left behind is never one about a later lock.
    await writeFile(own, `${process.pid} ${await birthOf(process.pid)} ${randomUUID()}\n`, { flag: 'wx', mode: 0o600 })
    while (!((await isMade(own, path)) || (await hasReplaced(own, path))));
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(`${path} cannot be written: ${codeOf(error)}.`)
  } finally {
    await rm(own, { force: true })
  }
  return () => rm(path, { force: true })
}

async function isMade(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Puts our lock in the place of one that was left behind. Only the holder of the lock of that very file may do so, and
 * reads it again first: of several that found it the first replaces it, and the others find another.
 */
async function hasReplaced(own: string, path: string): Promise<boolean> {
  const found = await holderIn(path)
  if (found === undefined) return false
  await refuseWhenHeld(found)
  const release = await take(replacementOf(path, found))
  try {
    if ((await holderIn(path)) !== found) return false
    await rename(own, path)
    return true
  } finally {
    await release()
  }
}

/** Names the lock that is held while one that was left behind, with these words in it, is replaced. */
export const replacementOf = (path: string, holder: string): string =>
  `${path}.${createHash('sha256').update(holder).digest('hex').slice(0, 12)}`

async function holderIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function refuseWhenHeld(holder: string): Promise<void> {
  const [pidText, birth] = holder.trim().split(' ')
  const pid = Number(pidText)
  if (pid > 0 && pid !== process.pid && isAlive(pid) && (await birthOf(pid)) === birth)
    throw new Refusal(`Accredit already runs here (process ${pid}). Stop it first, or use it.`)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Returns the birth of a process, in clock ticks since boot; empty where the system does not tell. */
export async function birthOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
