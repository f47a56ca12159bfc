import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { keptRoleNaming } from '../database/role-passwords.js'
import { preparedUrls } from '../database/roles.js'
import { journalFile } from '../state/journal.js'
import { keptSettings } from '../state/settings.js'
import { freePort } from './ports.js'

const READY_WITHIN_MS = 120_000

export interface ApiReplica {
  url: string
  pid: number
  stop(): Promise<void>
}

/** Starts a further replica of the API of an installation that runs, with settings of its own. */
export async function apiReplica(
  { projectRoot, stateDir, databaseUrl }: { projectRoot: string; stateDir: string; databaseUrl: string },
  settings: Record<string, string>,
): Promise<ApiReplica> {
  const kept = await keptSettings(stateDir)
  if (!kept) throw new Error(`nothing is installed in ${stateDir}`)
  const urls = await preparedUrls(databaseUrl, await keptRoleNaming(stateDir, kept))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, ['api/dist/main.js'], {
    cwd: projectRoot,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: urls.api,
      SYSTEM_DATABASE_URL: urls.system,
      SIGNER_SOCKET: join(stateDir, 'signer.sock'),
      SERVICE_KEY_FILE: join(stateDir, 'keys', 'service.key'),
      ERASURE_JOURNAL_FILE: journalFile(stateDir),
      API_PORT: String(port),
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  for (const deadline = Date.now() + READY_WITHIN_MS; !(await isReady(url)); await pause(100)) {
    if (Date.now() < deadline && child.exitCode === null) continue
    await stop()
    throw new Error('the replica is not ready')
  }
  return { url, pid: child.pid ?? 0, stop }
}

const isReady = async (url: string): Promise<boolean> =>
  (await fetch(`${url}/ready`).catch(() => undefined))?.ok === true

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
