import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { readConfig } from '../config.js'
import { openIndex } from '../ledger/read/index-db.js'
import { followLedger } from '../ledger/write/follower.js'
import { collectOutcomes } from '../ledger/write/outcomes.js'
import { relayActions } from '../ledger/write/relay.js'
import { openSigner } from '../ledger/write/signer-door.js'
import type { Environment } from '../platform/http/context.js'
import { systemClock } from '../platform/process/clock.js'
import { dropAfterAll, folderOfTests } from '../platform/testing/after-all.js'
import {
  PATIENT,
  type ScratchDatabase,
  serviceDatabase,
  silentLog,
  testEnvironment,
} from '../platform/testing/scratch-database.js'
import { didEffects } from './did.jobs.js'
import { didLedgerEffects } from './did.ledger.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The effects of jobs and ledger events; by default those that DIDs need. */
type WorkerEffects = Pick<Parameters<typeof followLedger>[0], 'jobEffects' | 'ledgerEffects'>
const OF_DIDS: WorkerEffects = { jobEffects: didEffects, ledgerEffects: didLedgerEffects }

/** A real ledger, signer and index below the api of a test; the worker's part runs when the test asks for it. */
export interface Loop {
  environment: Environment
  /** The address at which the ledger answers JSON-RPC. */
  ledgerUrl: string
  signerSocket: string
  stopLedger(): Promise<void>
  /** Kills the signer in the middle of whatever it does, and starts another one. */
  killSigner(): Promise<void>
  /** Brings everything that was accepted to the ledger, and follows it until all jobs have ended. */
  untilDone(effects?: WorkerEffects): Promise<void>
  close(): Promise<void>
}

/** The processes and the database that the files of a worker have in common. It ends with the worker. */
export type CommonLoop = Omit<Loop, 'close'> & { scratch: ScratchDatabase }

let common: Promise<CommonLoop> | undefined

/**
 * Starting a loop is slow, and the files of a worker run one after the other: each makes teams of its own, and waits
 * for the jobs that began after it opened this.
 */
export async function commonLoop(): Promise<CommonLoop> {
  common ??= startCommon()
  const loop = await common
  const { environment } = loop
  const [opened] = await environment.db.call(sql<{ now: Date }>`select clock_timestamp() as now`)
  return { ...loop, untilDone: (effects = OF_DIDS) => untilDone(environment, effects, opened?.now) }
}

async function startCommon(): Promise<CommonLoop> {
  const scratch = await serviceDatabase()
  dropAfterAll(new URL(scratch.adminUrl).pathname.slice(1))
  const { close: _withTheWorker, ...loop } = await startLoop(scratch)
  return { ...loop, scratch }
}

/** `signerSettings` are more than those that the signer has to have. */
export async function startLoop(scratch: ScratchDatabase, signerSettings: Record<string, string> = {}): Promise<Loop> {
  const folder = mkdtempSync(join(folderOfTests(), 'loop-'))
  const children: ChildProcess[] = []
  const start = async (args: string[], env: Record<string, string>) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    })
    children.push(child)
    return firstLine(child)
  }
  // The processes are supervised: they end with this process, however it ends.
  const common = {
    ACCREDIT_SUPERVISED: '1',
    DATABASE_URL: scratch.adminUrl,
    LEDGER_FINALITY: 'instant',
    LOG_LEVEL: 'silent',
    LEDGER_LOG_LEVEL: 'silent',
  }
  const signerEnv = {
    ...common,
    MASTER_KEY_FILE: join(folder, 'master.key'),
    SIGNER_SOCKET: join(folder, 'signer.sock'),
    SIGNER_CAPABILITIES: 'keys,sign,act,export',
    SIGNER_EXPORT_PER_MINUTE: '1000',
  }

  const { feeAccount } = await start(['signer/dist/main.js', 'init'], signerEnv)
  const ledgerEnv = { ...common, LEDGER_KEY_FILE: join(folder, 'ledger.json'), LEDGER_FEE_ACCOUNTS: feeAccount ?? '' }
  const { url } = await start(['chain/embedded/dist/main.js'], ledgerEnv)
  const ledgerProcess = children.at(-1)
  const startSigner = () => start(['signer/dist/main.js'], { ...signerEnv, ...signerSettings, LEDGER_URL: url ?? '' })
  await startSigner()
  let signerProcess = children.at(-1)
  const readers = [scratch.tenantUrl, scratch.systemUrl].map((address) => new URL(address).username).join(',')
  await start(['indexer/lib/main.js'], { ...common, LEDGER_URL: url ?? '', INDEX_READERS: readers })

  const config = readConfig({
    DATABASE_URL: scratch.tenantUrl,
    SIGNER_SOCKET: signerEnv.SIGNER_SOCKET,
    ...PATIENT,
  })
  const [signer, index] = [openSigner(config), openIndex(config, systemClock, silentLog)]
  const environment = testEnvironment(scratch, { signer, index })
  return {
    environment,
    ledgerUrl: url ?? '',
    signerSocket: signerEnv.SIGNER_SOCKET,
    async stopLedger() {
      ledgerProcess?.kill('SIGTERM')
      if (ledgerProcess !== undefined) await once(ledgerProcess, 'exit')
    },
    async killSigner() {
      signerProcess?.kill('SIGKILL')
      await startSigner()
      signerProcess = children.at(-1)
    },
    untilDone: (effects = OF_DIDS) => untilDone(environment, effects),
    async close() {
      await Promise.all([signer.close(), index.close()])
      for (const child of children.reverse()) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      rmSync(folder, { recursive: true })
    },
  }
}

/** The first JSON line with what a process says when it is ready. */
async function firstLine(child: ChildProcess): Promise<Record<string, string>> {
  if (child.stdout === null) throw new Error('the process has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    if (/"(ready|feeAccount)":/.test(line)) {
      child.stdout.resume()
      return JSON.parse(line)
    }
  }
  throw new Error(`${child.spawnargs.slice(1).join(' ')} ended before it was ready`)
}

async function untilDone(
  { db, signer, log, deriveKey }: Environment,
  effects: WorkerEffects,
  since = new Date(0),
): Promise<void> {
  const services = { db, log, signer, deriveKey, ...effects }
  const isOpen = () =>
    db.read('system', (reader) => {
      const open = reader.selectFrom('jobs').select('id').where('status', 'in', ['todo', 'in_progress']).limit(1)
      return open.where('created', '>=', since).executeTakeFirst()
    })
  const deadline = Date.now() + 150_000
  while ((await isOpen()) !== undefined) {
    if (Date.now() > deadline) throw new Error('some jobs did not end in time')
    await relayActions(services)
    await collectOutcomes(services)
    await followLedger(services)
    await new Promise((resolve) => setTimeout(resolve, 40))
  }
}
