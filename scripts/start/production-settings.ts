import { secretsFrom } from '@accredit/process/secret-files'
import { requirePostgresUrl } from './database/database-failure.js'
import { type RoleNaming, withPassword } from './database/roles.js'
import { messageOf, Refusal } from './refusal.js'

/** The settings of a deployment where another program starts the processes; those that name a file are read from it. */
export function readSecrets(env: NodeJS.ProcessEnv): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(secretsFrom(env)).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
  } catch (error) {
    throw new Refusal(messageOf(error))
  }
}

export function required(env: Readonly<Record<string, string>>, name: string): string {
  const value = env[name]
  if (!value) throw new Refusal(`${name} is not set.`)
  return value
}

/** Returns the URL of the role that owns everything. */
export function productionDatabase(env: Readonly<Record<string, string>>): string {
  requirePostgresUrl(required(env, 'MIGRATION_DATABASE_URL'), 'MIGRATION_DATABASE_URL')
  return withPassword(required(env, 'MIGRATION_DATABASE_URL'), required(env, 'MIGRATION_DATABASE_PASSWORD'))
}

/** Names the roles of a deployment: their passwords are its settings. */
export const productionNaming = (env: Readonly<Record<string, string>>): RoleNaming => ({
  name: (room) => `accredit_${room}`,
  password: (room) => required(env, `${room.toUpperCase()}_DATABASE_PASSWORD`),
})
