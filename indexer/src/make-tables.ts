// Makes the tables and functions of an index, and reads nothing into them: a restored copy brings the rows.
import { secretsFrom } from '@accredit/process/secret-files'
import { TypeormDatabase } from '@subsquid/typeorm-store'
import { configOf } from './config'
import { takeOverLibraryLogs } from './log'
import { migrate, PROJECT_DIR } from './migrate'

async function makeTables(): Promise<void> {
  takeOverLibraryLogs()
  const config = configOf(secretsFrom(process.env))
  process.env.DB_URL = config.databaseUrl
  await migrate(config)
  // The library makes the tables of its own state when it first connects.
  const library = new TypeormDatabase({ projectDir: PROJECT_DIR, stateSchema: config.schema })
  await library.connect()
  await library.disconnect()
}

makeTables().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`)
  process.exitCode = 1
})
