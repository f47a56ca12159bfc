import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes a program that tells the version of a node, and does whatever `lines` do when it is run as one. */
export async function nodeProgramThat(folder: string, lines: string): Promise<string> {
  const path = join(folder, 'program')
  const text = `#!/bin/sh\nif [ "$1" = --version ]; then echo 'accredit-node 0.1.0'; exit; fi\n${lines}\n`
  await writeFile(path, text, { mode: 0o700 })
  return path
}
