import { parseArgs } from 'node:util'
import { secretsFrom } from '@accredit/process/secret-files'
import { createTeam, keyOfFirstTeam } from './accounts/create-team.js'
import { readConfig } from './config.js'
import { openDatabase } from './platform/database/open-database.js'
import { servicePool } from './platform/database/pool.js'
import { ROLES } from './platform/database/tables.js'
import { runProcess } from './platform/process/process.js'
import { systemRandom } from './platform/process/random.js'
import { ConfigError } from './settings.js'

/**
 * `node dist/team.js --name "Second team" [--role member]` prints `{ teamId, apiKey }`, the key for the only time.
 * `--first` in place of a name makes a further key of the oldest team, and the team where there is none.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { name: { type: 'string' }, role: { type: 'string', default: 'owner' }, first: { type: 'boolean' } },
  })
  const role = ROLES.find((known) => known === values.role)
  const name = values.first ? 'First team' : values.name?.trim()
  if (!name) throw new ConfigError('a team needs a name: --name "Second team"')
  if (!role) throw new ConfigError(`--role is "${values.role}": expected one of ${ROLES.join(', ')}`)
  const config = readConfig(secretsFrom(process.env))
  const pool = servicePool({ url: config.database.systemUrl, max: 1, applicationName: 'accredit-team' })
  const db = openDatabase(pool, pool)
  try {
    const environment = { config, db, random: systemRandom }
    const made = await (values.first ? keyOfFirstTeam(environment, name) : createTeam(environment, { name, role }))
    process.stdout.write(`${JSON.stringify(made)}\n`)
  } finally {
    await db.close()
  }
}

await runProcess('team', main)
