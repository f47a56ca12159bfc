// Makes the tables and functions of an index, and reads nothing into them: a restored copy brings the rows.
import { secretsFrom } from '@accredit/process/secret-files'
import { configOf } from './config'
import { takeOverLibraryLogs } from './log'
import { migrate } from './migrate'

takeOverLibraryLogs()
const config = configOf(secretsFrom(process.env))
process.env.DB_URL = config.databaseUrl
migrate(config).catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`)
  process.exitCode = 1
})
