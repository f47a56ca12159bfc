import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type pg from 'pg'
import { withClient } from '../database/client.js'
import { requireDatabase } from '../database/database-failure.js'
import { openFolder } from '../database/postgres.js'
import type { StartOptions } from '../options.js'
import { Refusal } from '../refusal.js'
import { journalFile } from './journal.js'
import { lockName } from './lock.js'
import { keptSettings, roleName, type Settings } from './settings.js'

/** The schemas that an installation makes in a database, one for each of our processes. */
const schemas = ['chain', 'signer', 'ledger', 'service', 'bullmq']

/**
 * Forgets an environment: first its schemas in a database of its owner's, then its folders, so that nothing is left
 * that no key opens any more. The sandbox's folder also holds production's, which stays. So does the journal of erasures:
 * a copy that is restored here later must not bring back what was erased.
 */
export async function forget(options: StartOptions): Promise<void> {
  if (options.databaseUrl !== undefined) await forgetDatabase(options.databaseUrl, options.stateDir)
  await rm(openFolder(options.stateDir), { recursive: true, force: true })
  const kept = ['production', basename(journalFile(options.stateDir))]
  const entries = await readdir(options.stateDir).catch(() => [])
  for (const entry of entries)
    if (!kept.includes(entry) && !entry.startsWith(lockName))
      await rm(join(options.stateDir, entry), { recursive: true, force: true })
}

async function forgetDatabase(url: string, stateDir: string): Promise<void> {
  await requireDatabase(url)
  await withClient(url, async (client) => {
    const found = await client.query<{ owner: string }>(
      `select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname = 'signer'`,
    )
    const [signer] = found.rows
    if (!signer) return
    const settings = await keptSettings(stateDir)
    const ours = settings ? roleName(settings, 'signer') : undefined
    const { rows } = await client.query<{ name: string }>('select current_user as name')
    if (signer.owner !== ours && signer.owner !== rows[0]?.name)
      throw new Refusal(
        `The database of DATABASE_URL holds an installation that ${stateDir} knows nothing of (owner ${signer.owner}). Nothing was forgotten; drop its schemas by hand, or use another database.`,
      )
    for (const schema of schemas) await client.query(`drop schema if exists ${schema} cascade`)
    if (settings) await dropRoles(client, settings)
  })
}

/** Roles belong to the server, not to the database: they go with the installation that made them. */
export async function dropRoles(client: pg.Client, { installation }: Pick<Settings, 'installation'>): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'select rolname as name from pg_roles where starts_with(rolname, $1)',
    [`accredit_${installation}_`],
  )
  for (const { name } of rows) {
    const role = client.escapeIdentifier(name)
    await client.query(`drop owned by ${role} cascade`)
    await client.query(`drop role ${role}`)
  }
}
