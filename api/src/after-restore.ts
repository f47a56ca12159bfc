import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { secretsFrom } from '@accredit/process/secret-files'
import { endOpenings } from './accounts/end-openings.store.js'
import { type Config, readConfig } from './config.js'
import { applyJournal } from './data/apply-journal.js'
import type { Database } from './platform/database/database.js'
import { openDatabase } from './platform/database/open-database.js'
import { eventSealing } from './platform/database/outgoing-events.js'
import { servicePool } from './platform/database/pool.js'
import { systemClock } from './platform/process/clock.js'
import { runProcess } from './platform/process/process.js'
import { systemRandom } from './platform/process/random.js'
import { keyDerivation, readServiceKey } from './platform/security/service-key.js'
import { closeLists } from './revocation/registry.store.js'
import { ConfigError } from './settings.js'

/**
 * `node dist/after-restore.js [--complete]` keeps a restored copy from doing again what was done after it was made,
 * ends what the journal of erasures tells, and prints what it did. `--complete`: nothing was written after the copy.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { complete: { type: 'boolean' } } })
  const config = readConfig(secretsFrom(process.env))
  if (config.serviceKeyFile === undefined) throw new ConfigError('SERVICE_KEY_FILE is missing.')
  const deriveKey = keyDerivation(readServiceKey(config.serviceKeyFile))
  const pool = servicePool({ url: config.database.systemUrl, max: 1, applicationName: 'accredit-after-restore' })
  // Nothing runs that would have to be told of an event.
  const events = { ...eventSealing(deriveKey, systemRandom), stored: () => {} }
  const db = openDatabase(pool, pool, { events, clock: systemClock })
  try {
    const sentences = [
      ...(values.complete ? [] : await endWhatMayHaveEnded(db)),
      ...(await forgetAgain(
        { config, db, deriveKey, events, clock: systemClock, random: systemRandom },
        values.complete ?? false,
      )),
    ]
    process.stdout.write(`${JSON.stringify({ sentences })}\n`)
  } finally {
    await db.close()
  }
}

async function endWhatMayHaveEnded(db: Database): Promise<string[]> {
  const { closed, signIns, invitations } = await db.transaction('system', async (tx) => ({
    closed: await closeLists(tx),
    ...(await endOpenings(tx, systemClock.now())),
  }))
  const sentences: string[] = []
  if (closed > 0)
    sentences.push(
      `${closed} registries give no more places, since credentials issued after the copy may have them; new automatic ones are made at need.`,
    )
  if (signIns > 0)
    sentences.push(`${signIns} sessions and temporary keys ended, since some may have ended after the copy.`)
  if (invitations > 0)
    sentences.push(
      `${invitations} invitations to teams were canceled, since some may have been accepted or canceled after the copy: invite again who is still wanted.`,
    )
  return sentences
}

/** Applies the journal before anything is served: no revoked key opens anything, not even for a moment. */
async function forgetAgain(environment: Parameters<typeof applyJournal>[0], isComplete: boolean): Promise<string[]> {
  const { erasureJournalFile: file }: Config = environment.config
  if (file === undefined || !existsSync(file))
    return isComplete ? [] : [`There is no journal of erasures${file === undefined ? '' : ` (${file})`}: ${WITHOUT}`]
  const { erasures, departures, keys } = await applyJournal(environment)
  return [
    `The journal of erasures (${file}) was applied to the copy: ${erasures} erasures and deletions, ${departures} people who left a team, ${keys} keys that were revoked or ended earlier.`,
  ]
}

const WITHOUT =
  'what was erased after the copy was made is back, and keys that were revoked after it open again. Where a journal is kept elsewhere, put it there before the start; else erase and revoke again (npm run key -- list).'

await runProcess('after-restore', main)
