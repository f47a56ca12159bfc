import { createLog, switchLevelOnSignal } from '@accredit/process/log'
import { secretsFrom } from '@accredit/process/secret-files'
import { type OpenLedger, openLedger } from './open-ledger.js'
import { readSettings, type Settings } from './settings.js'

const STOP_WITHIN_MS = 5_000
const settings = settingsOrExit()
const log = createLog({ name: 'ledger', level: settings.logLevel })
switchLevelOnSignal(log)
let opened: OpenLedger | undefined
let isStopping = false

function settingsOrExit(): Settings {
  try {
    return readSettings(secretsFrom(process.env))
  } catch (cause) {
    createLog({ name: 'ledger' }).fatal(`The ledger cannot start: ${messageOf(cause)}`)
    process.exit(1)
  }
}

function stop(why: string): void {
  if (isStopping) return
  isStopping = true
  log.info({ why }, 'stopping')
  // Ending early loses nothing: the next start goes on from the last durable block.
  setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref()
  const closed = opened?.close() ?? Promise.resolve()
  closed.then(
    () => process.exit(0),
    (cause: unknown) => {
      log.error({ err: cause }, 'the ledger did not stop in order')
      process.exit(1)
    },
  )
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Nothing in memory is worth keeping: the next start goes on from the last durable block. */
function fail(cause: unknown): never {
  log.fatal({ err: cause }, 'the ledger cannot go on')
  process.exit(1)
}

process.on('SIGTERM', () => stop('SIGTERM'))
process.on('SIGINT', () => stop('SIGINT'))
process.on('uncaughtException', fail)
if (settings.isSupervised) {
  process.stdin.on('end', () => stop('the supervisor is gone'))
  process.stdin.on('error', () => stop('the supervisor is gone'))
  process.stdin.resume()
}

try {
  opened = await openLedger({
    databaseUrl: settings.databaseUrl,
    feeAccounts: settings.feeAccounts,
    keys: { file: settings.keyFile },
    host: settings.host,
    port: settings.port,
    allowedOrigins: settings.allowedOrigins,
    ownToken: settings.ownToken,
    isReadOnly: settings.isReadOnly,
    clock: settings.clock,
    onFatal: fail,
    onError: (cause, method) => log.error({ err: cause, method }, 'a request failed'),
    onProduced: ({ block, events }, milliseconds) =>
      log.debug({ height: block.number, extrinsics: block.extrinsics.length, events, milliseconds }, 'block'),
  })
} catch (cause) {
  log.debug({ err: cause }, 'start failed')
  log.fatal(`The ledger cannot start: ${messageOf(cause)}`)
  process.exit(1)
}
const { url, genesisHash, ledger, upgradedFrom } = opened
if (upgradedFrom !== undefined) log.info({ upgradedFrom }, 'the chain has a newer runtime')
log.info({ url, genesisHash, height: ledger.head.number }, 'ready')
process.stdout.write(`${JSON.stringify({ ready: 'ledger', url, genesisHash })}\n`)
