import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { roomNames } from '../../scripts/start/database/roles.js'
import { freePort } from '../../scripts/start/processes/ports.js'
import { startTestDatabase } from '../../scripts/start/test-database.js'
import { type Elsewhere, environmentOf, programOf } from './compose.js'
import { root } from './repository-files.js'

export const REDIS = ['/usr/bin/redis-server', '/usr/local/bin/redis-server'].find(existsSync)
export const CADDY = ['/usr/bin/caddy', '/usr/local/bin/caddy'].find(existsSync)

const execute = promisify(execFile)

export interface Answer {
  status: number
  body: Record<string, unknown>
  headers: Record<string, unknown>
}

/** The services of docker-compose.yml as processes of this machine, with the settings that it gives them. */
export interface Production {
  /** Sends a request as a client does: over TLS, to the proxy. */
  call(method: string, path: string, body?: object, key?: string): Promise<Answer>
  /** Runs a program with the settings of a service; returns its exit code and its words. */
  run(service: string, program: string[], more?: Record<string, string>): Promise<{ code: number; said: string }>
  /** The ports of the replicas of the API, whose first one can be killed. */
  replicas: readonly number[]
  ledgerPort: number
  kill(name: string): Promise<void>
  start(name: string): Promise<void>
  publicUrl: string
  /** The authority of the proxy's certificate. */
  authority: string
  folder: string
  proxyLog: string
  stop(): Promise<void>
}

export async function startProduction(): Promise<Production> {
  const folder = await mkdtemp(join(tmpdir(), 'accredit-production-'))
  const database = await startTestDatabase()
  const [redisPort, ledgerPort, httpsPort, httpPort, adminPort, first, second] = await Promise.all(
    Array.from({ length: 7 }, freePort),
  )
  if (!redisPort || !ledgerPort || !httpsPort || !httpPort || !adminPort || !first || !second)
    throw new Error('no ports')
  await makeFolders(folder, database.url)
  const { host, pathname } = new URL(database.url)
  const elsewhere: Elsewhere = {
    given: { PUBLIC_HOST: `localhost:${httpsPort}`, TRUSTED_PROXIES: 'loopback' },
    places: [
      ['@postgres:5432/accredit', `@${host}${pathname}`],
      ['redis://redis:6379', `redis://127.0.0.1:${redisPort}`],
      ['ws://ledger:9944', `ws://127.0.0.1:${ledgerPort}`],
      ['/run/secrets', join(folder, 'secrets')],
      ['/run/accredit', folder],
      ['/journal', join(folder, 'service')],
      ['/data/signer/', `${folder}/signer/`],
      ['/data/ledger/', `${folder}/ledger/`],
    ],
  }
  // Each service has volumes of its own at /data.
  const volumes: Record<string, string> = {
    signer: 'signer',
    ledger: 'ledger',
    api: 'service',
    worker: 'service',
    prepare: 'service',
  }
  const settingsOf = (service: string): Record<string, string> => ({
    ...environmentOf(service, {
      ...elsewhere,
      places: [...elsewhere.places, ['/data', join(folder, volumes[service] ?? service)]],
    }),
    PATH: process.env.PATH ?? '',
    HOME: folder,
    LOG_LEVEL: 'warn',
    // Containers have each a port of this number; processes of one machine would share it.
    ...Object.fromEntries(['SIGNER', 'INDEXER', 'WORKER'].map((name) => [`${name}_METRICS_PORT`, ''])),
  })
  const api = (port: number) => ({ ...settingsOf('api'), API_HOST: '127.0.0.1', API_PORT: String(port) })
  const node = (service: string, more: Record<string, string> = {}) => ({
    command: process.execPath,
    args: programOf(service),
    env: { ...settingsOf(service), ...more },
    health: healthOf(service),
  })
  const ledgerPlace = { LEDGER_HOST: '127.0.0.1', LEDGER_PORT: String(ledgerPort) }
  const processes: Record<string, Spec> = {
    redis: {
      command: REDIS ?? '',
      args: [
        '--port',
        String(redisPort),
        '--bind',
        '127.0.0.1',
        '--dir',
        folder,
        '--appendonly',
        'yes',
        '--maxmemory-policy',
        'noeviction',
      ],
      env: {},
    },
    ledger: node('ledger', ledgerPlace),
    signer: node('signer'),
    indexer: node('indexer'),
    worker: node('worker'),
    'api-1': { ...node('api'), env: api(first) },
    'api-2': { ...node('api'), env: api(second) },
    proxy: {
      command: CADDY ?? '',
      args: ['run', '--adapter', 'caddyfile', '--config', join(root, 'scripts/operate/Caddyfile')],
      env: {
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
        PUBLIC_HOST: `localhost:${httpsPort}`,
        TLS_ISSUER: 'internal',
        REPLICAS: 'address',
        API_ADDRESSES: `127.0.0.1:${first} 127.0.0.1:${second}`,
        HTTPS_PORT: String(httpsPort),
        HTTP_PORT: String(httpPort),
        ADMIN_PORT: String(adminPort),
      },
    },
  }
  const running = new Map<string, ChildProcess>()
  const start = async (name: string): Promise<void> => {
    const spec = processes[name]
    if (!spec) throw new Error(`there is no ${name}`)
    const { command, args, env, health } = spec
    const log = await open(join(folder, `${name}.log`), 'a')
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', log.fd, log.fd] })
    await log.close()
    running.set(name, child)
    if (health)
      await vi.waitFor(() => execute(process.execPath, health, { cwd: root, env }), { timeout: 240_000, interval: 500 })
  }
  const end = async (name: string, signal: NodeJS.Signals): Promise<void> => {
    const child = running.get(name)
    running.delete(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  const run: Production['run'] = async (service, program, more = {}) => {
    const env = { ...settingsOf(service), ...more }
    return execute(process.execPath, program, { cwd: root, env }).then(
      ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, said: stdout + stderr }),
    )
  }
  const authority = join(folder, 'caddy', 'pki', 'authorities', 'local', 'root.crt')
  const stop = async () => {
    for (const name of Object.keys(processes).toReversed()) await end(name, name === 'redis' ? 'SIGKILL' : 'SIGTERM')
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const { code, said } = await run('prepare', programOf('prepare'))
    if (code !== 0) throw new Error(said)
    await start('redis')
    await start('ledger')
    await Promise.all(['signer', 'indexer'].map(start))
    await Promise.all(['worker', 'api-1', 'api-2', 'proxy'].map(start))
    await vi.waitFor(() => readFile(authority), { timeout: 30_000 })
  } catch (error) {
    await stop()
    throw error
  }
  const ca = await readFile(authority)
  return {
    call: (method, path, body, key) => callTls({ port: httpsPort, ca, method, path, body, key }),
    run,
    replicas: [first, second],
    ledgerPort,
    kill: (name) => end(name, 'SIGKILL'),
    start,
    publicUrl: `https://localhost:${httpsPort}`,
    authority,
    folder,
    proxyLog: join(folder, 'proxy.log'),
    stop,
  }
}

interface Spec {
  command: string
  args: string[]
  env: Record<string, string>
  /** The arguments of Node that check its health, as compose does. */
  health?: string[]
}

const healthOf = (service: string): string[] => ['scripts/dist/doctor/health.js', service]

async function makeFolders(folder: string, databaseUrl: string): Promise<void> {
  for (const name of ['secrets', 'signer', 'ledger', 'service']) await mkdir(join(folder, name), { mode: 0o700 })
  const secret = (name: string, text: string) => writeFile(join(folder, 'secrets', name), text, { mode: 0o600 })
  await secret('postgres-password', decodeURIComponent(new URL(databaseUrl).password))
  for (const room of roomNames) await secret(`${room}-database-password`, `secret/of @${room}`)
  await secret('ledger-token', 'x'.repeat(40))
  await secret('smtp-url', '')
}

interface TlsCall {
  port: number
  ca: Buffer
  method: string
  path: string
  body: object | undefined
  key: string | undefined
}

function callTls({ port, ca, method, path, body, key }: TlsCall): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'SVC-API-TOKEN': key }) }
  return new Promise((resolve, reject) => {
    const asked = request({ host: 'localhost', port, path, method, ca, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += String(chunk)
      })
      answer.on('end', () => {
        const isJson = /json/.test(answer.headers['content-type'] ?? '')
        resolve({ status: answer.statusCode ?? 0, body: isJson ? JSON.parse(text) : { text }, headers: answer.headers })
      })
    })
    asked.on('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
