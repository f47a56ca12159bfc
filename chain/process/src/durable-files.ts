import { open } from 'node:fs/promises'

/**
 * Writes a file that others on the machine cannot read: its content is on the disk when this resolves, its name once its
 * folder is (`syncFolder`).
 *
 * @param flag `wx` refuses a file that is there already, `w` writes over it
 */
export async function writeDurably(path: string, content: string | Uint8Array, flag: 'wx' | 'w' = 'wx'): Promise<void> {
  const file = await open(path, flag, 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A name is durable when its folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
