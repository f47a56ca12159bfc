import { parseArgs } from 'node:util'
import { secretsFrom } from '@accredit/process/secret-files'
import { endSignIns } from './accounts/people/sign-in.store.js'
import { readConfig } from './config.js'
import { openDatabase } from './platform/database/open-database.js'
import { servicePool } from './platform/database/pool.js'
import { systemClock } from './platform/process/clock.js'
import { runProcess } from './platform/process/process.js'
import { closeLists } from './revocation/registry.store.js'

/**
 * `node dist/after-restore.js [--complete]` keeps a restored copy from doing again what was done after
 * it was made, and prints what it did. `--complete`: nothing was.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { complete: { type: 'boolean' } } })
  const config = readConfig(secretsFrom(process.env))
  const pool = servicePool({ url: config.database.systemUrl, max: 1, applicationName: 'accredit-after-restore' })
  const db = openDatabase(pool, pool)
  try {
    const sentences: string[] = []
    if (!values.complete) {
      const { closed, ended } = await db.transaction('system', async (tx) => ({
        closed: await closeLists(tx),
        ended: await endSignIns(tx, systemClock.now()),
      }))
      if (closed > 0)
        sentences.push(
          `${closed} registries give no more places, since credentials issued after the copy may have them; new automatic ones are made at need.`,
        )
      if (ended > 0)
        sentences.push(`${ended} sessions and temporary keys ended, since some may have ended after the copy.`)
    }
    process.stdout.write(`${JSON.stringify({ sentences })}\n`)
  } finally {
    await db.close()
  }
}

await runProcess('after-restore', main)
