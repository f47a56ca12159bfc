import { join } from 'node:path'
import { endWith } from './command.js'
import { runningInstallation } from './installed.js'
import { asksForHelp, parseOptions } from './options.js'
import { runThrough } from './processes/run-to-end.js'
import { ledgerSettings } from './processes/site.js'

const usage = `npm run rebuild -w indexer [-- --env sandbox|production] [--state FOLDER]
  Builds the index anew from genesis, beside the one in use, and puts it in its place. Everything runs on meanwhile.
  It is the index of the installation that runs here; with DATABASE_URL (as the role that owns schema ledger) and
  LEDGER_URL or LEDGER_URLS set it is the one of that database, built from that ledger.`

/** Rebuilds the index of an installation that runs; see indexer/src/rebuild.ts. */
export async function rebuildIndex(argv: string[], projectRoot: string): Promise<void> {
  if (asksForHelp(argv)) return console.log(usage)
  await endWith(async () => {
    const { DATABASE_URL, LEDGER_URL, LEDGER_URLS } = process.env
    const isGiven = Boolean(DATABASE_URL && (LEDGER_URL || LEDGER_URLS))
    const environment = isGiven ? givenEnvironment() : await environmentOf(argv, projectRoot)
    return runThrough(join(projectRoot, 'indexer/lib/rebuild.js'), [], environment)
  })
}

const SETTINGS = [
  'DATABASE_URL',
  'PGPASSWORD',
  'LEDGER_URL',
  'LEDGER_URLS',
  'LEDGER_FINALITY',
  'INDEX_READERS',
  'CHAIN_READER',
]

const givenEnvironment = (): Record<string, string> =>
  Object.fromEntries(SETTINGS.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))

/** Returns the part of its indexer's environment that a rebuild needs too. */
export async function environmentOf(argv: string[], projectRoot: string): Promise<Record<string, string>> {
  const { urls, ownLedgerUrl, ledgerUrls } = await runningInstallation(parseOptions(argv, projectRoot, process.env))
  const roleOf = (url: string): string => decodeURIComponent(new URL(url).username)
  return {
    DATABASE_URL: urls.ledger,
    ...ledgerSettings(ownLedgerUrl, ledgerUrls),
    INDEX_READERS: [urls.api, urls.system].map(roleOf).join(','),
    CHAIN_READER: roleOf(urls.chain),
  }
}
