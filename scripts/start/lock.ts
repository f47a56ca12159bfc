import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from './refusal.js'
import { codeOf, makeStateDir } from './settings.js'

/**
 * One supervisor per state folder. The file names its process by number and time of birth, since numbers are reused;
 * a file left behind by a killed supervisor holds nobody up.
 */
export async function lock(stateDir: string): Promise<() => Promise<void>> {
  await makeStateDir(stateDir)
  const path = join(stateDir, 'supervisor.lock')
  if (!(await take(path))) {
    await refuseWhenHeld(path)
    await rm(path, { force: true })
    if (!(await take(path))) throw new Refusal('Another start of Accredit was quicker here. Use that one.')
  }
  return () => rm(path, { force: true })
}

/** Makes the file, unless it is there: the system decides between two that try at once. */
async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid} ${await birthOf(process.pid)}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new Refusal(`${path} cannot be written: ${codeOf(error)}.`)
  }
}

async function refuseWhenHeld(path: string): Promise<void> {
  const holder = await readFile(path, 'utf8').catch(() => '')
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

/** When a process was born, in clock ticks since boot; empty where the system does not say. */
async function birthOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
