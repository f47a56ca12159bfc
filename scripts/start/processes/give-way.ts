import { writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'

/** About a quarter of the share of others, as in docker-compose.yml: jobs end, and web hooks are told, also under load. */
const niceness = 6

/**
 * Gives a process a lower priority than those that answer requests. Linux may share the processor between sessions
 * first, and each supervised process has its own: there the session gets the lower priority too.
 */
export async function giveWay(pid: number): Promise<void> {
  try {
    setPriority(pid, niceness)
    await writeFile(`/proc/${pid}/autogroup`, String(niceness))
  } catch {
    // The process is gone, or the system has no such setting: then it runs like the others.
  }
}
