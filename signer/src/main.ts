/** The process: `main.js` runs the signer, `main.js init` and `main.js rotate-master-key` prepare it. */
import pino from 'pino'
import { readConfig, readStoreConfig } from './config.js'
import { SetupError } from './errors.js'
import { initialise, rotateMasterKey } from './setup.js'
import { openSigner, type Signer } from './signer.js'

const stopWithinMs = 5_000
const log = pino({ name: 'signer', level: process.env.LOG_LEVEL ?? 'info' })

async function run() {
  const config = readConfig(process.env)
  let signer: Signer | undefined
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    // Opening waits for the lease and the ledger, perhaps for ever, and leaves nothing that would have to be closed.
    if (signer === undefined) process.exit(0)
    // Nothing is lost by ending early: what is not stored has not happened.
    setTimeout(() => process.exit(0), stopWithinMs).unref()
    signer.close().then(() => process.exit(0), fail)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (config.isSupervised) process.stdin.on('end', stop).on('error', stop).resume()
  signer = await openSigner(config, log, fail)
  print({ ready: 'signer', socket: signer.address, feeAccount: signer.feeAccount })
}

function print(line: object) {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** A setup error is a sentence for people; anything else is ours and comes with its stack. */
function fail(error: unknown): never {
  if (error instanceof SetupError) log.fatal(error.message)
  else log.fatal({ err: error }, 'The signer ends.')
  process.exit(1)
}

const commands: Record<string, () => Promise<void>> = {
  run,
  init: async () => print({ feeAccount: await initialise(readStoreConfig(process.env)) }),
  'rotate-master-key': async () => print({ rewrapped: await rotateMasterKey(readStoreConfig(process.env)) }),
}

const name = process.argv[2] ?? 'run'
const command = commands[name]
if (command === undefined) fail(new SetupError(`There is no command ${name}: ${Object.keys(commands).join(', ')}.`))
command().catch(fail)
