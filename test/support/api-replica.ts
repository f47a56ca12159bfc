import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { keptRoleNaming } from '../../scripts/start/database/role-passwords.js'
import { preparedUrls } from '../../scripts/start/database/roles.js'
import { freePort } from '../../scripts/start/processes/ports.js'
import { keptSettings } from '../../scripts/start/state/settings.js'

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Starts a further replica of the API of an installation that runs, with settings of its own. */
export async function apiReplica(
  { stateDir, databaseUrl }: { stateDir: string; databaseUrl: string },
  settings: Record<string, string>,
): Promise<{ url: string; stop(): Promise<void> }> {
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
      API_PORT: String(port),
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await vi.waitFor(
    async () => {
      const { ok } = await fetch(`${url}/ready`)
      if (!ok) throw new Error('the replica is not ready')
    },
    { timeout: 120_000, interval: 100 },
  )
  return {
    url,
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
