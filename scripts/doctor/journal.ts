import { randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { countLines } from '../backup/journal.js'
import { codeOf, messageOf } from '../start/refusal.js'
import { type Finding, fault, notChecked, ok } from './finding.js'

/** Reads the journal of erasures, and tries whether lines can be added. */
export async function checkJournal(projectRoot: string, file: string): Promise<Finding[]> {
  return [await checkLines(projectRoot, file), await checkPlace(file)]
}

async function checkLines(projectRoot: string, file: string): Promise<Finding> {
  if (!existsSync(file)) return notChecked('journal', `There is no ${file} yet: the worker makes it when it starts.`)
  try {
    return ok('journal', `The journal of erasures can be read: ${await countLines(projectRoot, [file])} lines.`)
  } catch (error) {
    return fault(
      'journal',
      messageOf(error),
      'Put the line right by a journal that is kept elsewhere, or take it out and do again what it told; until then a restored copy is not erased again. The worker looks every minute.',
    )
  }
}

/** A file without content is made beside the journal, and taken away at once: rights alone do not tell of a disk that is read-only. */
async function checkPlace(file: string): Promise<Finding> {
  const tried = `${file}.${randomUUID()}.tmp`
  try {
    if (existsSync(file)) await access(file, constants.W_OK)
    await writeFile(tried, '', { flag: 'wx', mode: 0o600 })
    await rm(tried)
    return ok('journal', `Lines can be added in ${dirname(file)}.`)
  } catch (error) {
    return fault(
      'journal',
      `${dirname(file)} cannot be written: ${codeOf(error)}.`,
      'Give the folder and the journal in it to the user of api and worker, and a disk that can be written: no erasure, deletion or revocation is answered without its line.',
    )
  }
}
