import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDatabase } from '../test/support/scratch-database.js'
import { environmentOf } from './start/rebuild.js'
import { birthOf, lockName } from './start/state/lock.js'
import { ReadyFile } from './start/state/ready-file.js'
import { saveSettings } from './start/state/settings.js'

test('the indexer that rebuilds reaches the ledger of a running installation as one of its own processes', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'accredit-rebuild-'))
  const database = await scratchDatabase()
  try {
    const kept = { port: 3300, ledgerPort: 3301, installation: 'none', databasePassword: 'x', tourDone: true }
    await saveSettings(stateDir, kept)
    await writeFile(join(stateDir, lockName), `${process.ppid} ${await birthOf(process.ppid)} x\n`)
    const ledger = { ledgerUrl: 'ws://127.0.0.1:3301', ownLedgerUrl: 'ws://127.0.0.1:3301/token' }
    const places = { apiUrl: 'http://127.0.0.1:3300', apiKey: 'k', databaseUrl: database.url, ...ledger }
    await new ReadyFile(stateDir).write({ ...places, pids: () => ({}) })
    expect(await environmentOf(['--state', stateDir], '/')).toMatchObject({
      DATABASE_URL: database.url,
      LEDGER_URL: ledger.ownLedgerUrl,
      LEDGER_FINALITY: 'instant',
    })
  } finally {
    await database.drop()
    await rm(stateDir, { recursive: true, force: true })
  }
})
