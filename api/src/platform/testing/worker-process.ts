import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { prepareQueue } from '../../ledger/write/queue-schema.js'
import { prepareServiceKey } from '../security/service-key.js'
import type { ScratchDatabase } from './scratch-database.js'

const WORKER = fileURLToPath(new URL('../../../dist/worker.js', import.meta.url))

/** Prepares a database for processes of the worker, which know the key from which the tests derive theirs. */
export async function workerProcesses(scratch: ScratchDatabase, settings: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'accredit-worker-'))
  const keyFile = join(folder, 'key')
  await writeFile(keyFile, Buffer.alloc(32, 7), { mode: 0o600 })
  await prepareServiceKey(scratch.db, keyFile)
  await prepareQueue({ migrationUrl: scratch.adminUrl, systemUrl: scratch.systemUrl })
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: scratch.tenantUrl,
    SYSTEM_DATABASE_URL: scratch.systemUrl,
    SERVICE_KEY_FILE: keyFile,
    SIGNER_SOCKET: join(folder, 'no-signer'),
    WEBHOOKS_TO_LOOPBACK: '1',
    LOG_LEVEL: 'silent',
    ...settings,
  }
  return {
    /** Starts one. `ready` resolves when it says that it is. A supervised one ends with its standard input. */
    start({ supervised = false } = {}): { child: ChildProcess; ready: Promise<void> } {
      const own = { ...env, ...(supervised && { ACCREDIT_SUPERVISED: '1' }) }
      const child = spawn(process.execPath, [WORKER], { env: own, stdio: ['pipe', 'pipe', 'inherit'] })
      return { child, ready: once(createInterface(child.stdout), 'line').then(() => undefined) }
    },
    close: () => rm(folder, { recursive: true }),
  }
}

/** Ends a process as a host that fails does. */
export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
