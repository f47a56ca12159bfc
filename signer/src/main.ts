/**
 * The process: `main.js` runs the signer, its other commands prepare it and change its master key. Each loads what it
 * needs itself, since loading is most of what a short command costs.
 */

import { switchLevelOnSignal } from '@accredit/process/log'
import { secretsFrom } from '@accredit/process/secret-files'
import type { Tracing } from '@accredit/process/tracing'
import { DatabaseError } from 'pg'
import { SetupError } from './errors.js'
import { helpFor } from './help.js'
import { log } from './log.js'
import type { Signer } from './signer.js'

const stopWithinMs = 5_000

async function run() {
  const { readConfig } = await import('./config.js')
  const config = readConfig(secretsFrom(process.env))
  switchLevelOnSignal(log)
  let signer: Signer | undefined
  let tracing: Tracing | undefined
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    // The opening waits for the lease and the ledger, perhaps for ever, and leaves nothing that would have to be
    // closed.
    if (signer === undefined) process.exit(0)
    // An early end loses nothing: an action that is not stored has not happened.
    setTimeout(() => process.exit(0), stopWithinMs).unref()
    signer
      .close()
      .then(() => tracing?.stop())
      .then(() => process.exit(0), fail)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (config.isSupervised) process.stdin.on('end', stop).on('error', stop).resume()
  const { startTracing } = await import('@accredit/process/tracing')
  tracing = await startTracing('accredit-signer', config.isTraced)
  const { openSigner } = await import('./signer.js')
  signer = await openSigner(config, log, fail)
  print({ ready: 'signer', socket: signer.address, feeAccount: signer.feeAccount })
}

function print(line: object) {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** The classes of PostgreSQL's errors about permission to connect, and about the database's name. */
const isRefusedByDatabase = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && /^(?:28|3D)/.test(error.code ?? '')

/** A setup error is a sentence for people; any other error is ours and comes with its stack. */
function fail(error: unknown): never {
  if (error instanceof SetupError || isRefusedByDatabase(error)) log.fatal(error.message)
  else log.fatal({ err: error }, 'The signer ends.')
  process.exit(1)
}

async function prepare() {
  const [{ readStoreConfig }, setup] = await Promise.all([import('./config.js'), import('./setup.js')])
  return { config: readStoreConfig(secretsFrom(process.env)), ...setup }
}

async function init() {
  const { config, initialise } = await prepare()
  print({ feeAccount: await initialise(config) })
}

async function rotate() {
  const [option] = process.argv.slice(3)
  if (option !== undefined && option !== '--to-file')
    throw new SetupError(`rotate-master-key does not take ${option}: see --help.`)
  const { config, rotateMasterKey } = await prepare()
  print({ rewrapped: await rotateMasterKey({ ...config, toFile: option === '--to-file' }) })
}

async function restore() {
  const backup = process.argv[3]
  if (backup === undefined) throw new SetupError('restore-master-key takes the file to restore: see --help.')
  const { config, restoreMasterKey } = await prepare()
  print({ restored: await restoreMasterKey(config, backup) })
}

async function tables() {
  const upTo = process.argv[3]
  if (upTo === undefined) throw new SetupError('tables takes the name of a migration: see --help.')
  const { makeTables } = await import('./setup.js')
  const { config } = await prepare()
  await makeTables(config, upTo)
}

const commands: Record<string, () => Promise<void>> = {
  run,
  init,
  tables,
  'rotate-master-key': rotate,
  'restore-master-key': restore,
}

process.on('uncaughtException', fail)

const [, , name = 'run', ...others] = process.argv
const command = commands[name]
if ([name, ...others].includes('--help')) process.stdout.write(helpFor(name))
else if (command === undefined) fail(new SetupError(`There is no command ${name}: see --help.`))
else command().catch(fail)
