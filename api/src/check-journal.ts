import { readJournal } from './platform/process/erasure-journal.js'
import { runProcess } from './platform/process/process.js'
import { ConfigError } from './settings.js'

/**
 * `node dist/check-journal.js FILE ...` reads journals of erasures as a worker that starts does, and prints how many lines they
 * have, or what is wrong with one. It needs no setting and no database.
 */
async function main(): Promise<void> {
  const files = process.argv.slice(2)
  if (files.length === 0) throw new ConfigError('Name the file of a journal of erasures.')
  const found = await Promise.all(files.map(readJournal)).then(
    (journals) => ({ lines: journals.flat().length }),
    (error: Error) => ({ fault: error.message }),
  )
  process.stdout.write(`${JSON.stringify(found)}\n`)
}

await runProcess('check-journal', main)
