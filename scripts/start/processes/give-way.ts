import { writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'

const niceness = 10

/**
 * Lets a process come after those that answer requests, where they want the processor at the same time. Linux may share
 * it between sessions first, and each process that is supervised has its own: there the session gives way too.
 */
export async function giveWay(pid: number): Promise<void> {
  try {
    setPriority(pid, niceness)
    await writeFile(`/proc/${pid}/autogroup`, String(niceness))
  } catch {
    // It is gone, or the system knows no such thing: then it runs like the others.
  }
}
