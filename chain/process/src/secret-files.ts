import { readFileSync } from 'node:fs'

/** The settings that may stand in a file, which `<name>_FILE` names: a file has a mode, and an environment is seen by many. */
export const SECRETS = [
  'PGPASSWORD',
  'MIGRATION_DATABASE_PASSWORD',
  'CHAIN_DATABASE_PASSWORD',
  'SIGNER_DATABASE_PASSWORD',
  'LEDGER_DATABASE_PASSWORD',
  'API_DATABASE_PASSWORD',
  'SYSTEM_DATABASE_PASSWORD',
  'LEDGER_TOKEN',
  'SIGNER_TOKEN',
  'MASTER_KEY_PIN',
  'REDIS_URL',
  'SMTP_URL',
] as const

/** A deployment may leave these out by an empty file. */
const OPTIONAL: readonly string[] = ['REDIS_URL', 'SMTP_URL', 'MASTER_KEY_PIN']

/**
 * Puts each secret that a file holds into the environment, where the settings are read from, and returns it. Changes it
 * in place: the driver of Postgres reads PGPASSWORD itself.
 * @throws in a sentence that names the setting, and never what is in the file
 */
export function secretsFrom(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`]
    if (!file) continue
    if (environment[name]) throw new Error(`${name} and ${name}_FILE are both set: one of them has to go.`)
    environment[name] = contentOf(file, name)
    // A process that this one starts gets the secret once.
    delete environment[`${name}_FILE`]
  }
  return environment
}

function contentOf(file: string, name: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new Error(`The file of ${name}_FILE (${file}) cannot be read: ${code}.`)
  }
  if (text === '' && !OPTIONAL.includes(name)) throw new Error(`The file of ${name}_FILE (${file}) is empty.`)
  return text
}
