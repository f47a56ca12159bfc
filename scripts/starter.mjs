// Watches the process that started this one. A process that npm starts outlives an npm that is killed: nobody tells it,
// so it has to look.
import { readFileSync } from 'node:fs'

const SHELLS = ['sh', 'dash', 'bash', 'ash', 'busybox', 'zsh']

/** Returns name and parent of a process, where the system shows them. */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const nameEnds = stat.lastIndexOf(')')
    const [, parent] = stat.slice(nameEnds + 2).split(' ')
    return { name: stat.slice(stat.indexOf('(') + 1, nameEnds), parent: Number(parent) }
  } catch {
    return undefined
  }
}

/**
 * Remembers the parent of this process, and the parent of that where a shell stands between npm and us. A process that
 * is started in another way than by npm (by a service manager, or in the background of a shell that is left) belongs to
 * nobody.
 *
 * @returns whether one of them is gone
 */
export function watchStarter(env = process.env) {
  if (env.npm_lifecycle_event === undefined) return () => false
  const parent = process.ppid
  const shell = statOf(parent)
  const isShell = shell !== undefined && SHELLS.includes(shell.name)
  return () => process.ppid !== parent || (isShell && statOf(parent)?.parent !== shell.parent)
}
