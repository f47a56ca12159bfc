import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openFolder } from '../database/postgres.js'
import { Refusal } from '../refusal.js'
import { settingsFile } from './settings.js'

/**
 * Refuses a state without settings: they are written before anything else, so data without them has lost them, and new
 * ones would not fit it.
 */
export function requireKeptSettings(stateDir: string): void {
  if (existsSync(settingsFile(stateDir))) return
  const database = join('postgres', 'PG_VERSION')
  const places = [join(stateDir, 'keys', 'master.key'), join(stateDir, database), join(openFolder(stateDir), database)]
  const left = places.find(existsSync)
  if (left !== undefined)
    throw new Refusal(
      `${settingsFile(stateDir)} is missing, but ${left} is there: without its passwords and its port the installation that was here cannot go on. Restore it from a backup, or start with --fresh to forget everything.`,
    )
}
