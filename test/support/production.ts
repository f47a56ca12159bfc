import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { startTestDatabase } from '../../scripts/start/test-database.js'
import { programOf } from './compose.js'
import {
  type Chosen,
  type ProductionPlace,
  productionPlace,
  productionServices,
  type ServiceProcess,
  settingsOf,
} from './production-services.js'
import { root } from './repository-files.js'

const execute = promisify(execFile)

export interface Answer {
  status: number
  body: Record<string, unknown>
  headers: Record<string, unknown>
}

interface Ended {
  code: number
  said: string
}

/** The services of docker-compose.yml as processes of this machine, with the settings that it gives them. */
export interface Production {
  /** Sends a request as a client does: over TLS, to the proxy. */
  call(method: string, path: string, body?: object, key?: string): Promise<Answer>
  /** Runs a program with the settings of a service; returns its exit code and its words. */
  run(service: string, program: string[], more?: Record<string, string>): Promise<Ended>
  /** The ports of the replicas of the API, whose first one can be killed. */
  replicas: readonly number[]
  ledgerPort: number
  kill(name: string): Promise<void>
  /** Sends a signal to a service, which goes on. */
  signal(name: string, signal: NodeJS.Signals): void
  start(name: string): Promise<void>
  /** Returns what a service has written so far. */
  logOf(name: string): Promise<string>
  publicUrl: string
  /** The authority of the proxy's certificate. */
  authority: string
  folder: string
  databaseUrl: string
  stop(): Promise<void>
}

/** A production that an operator made otherwise; without it there are the embedded ledger and the signer beside it. */
export interface MadeOtherwise extends Chosen {
  /** Starts the network that the product runs on, when there is a fee account in the folder of the production. */
  start?(folder: string): Promise<void>
  /** Makes the signer ready on a host of its own, for a product that was prepared and has no ledger yet. */
  signerElsewhere?(place: ProductionPlace): Promise<ServiceProcess>
}

export async function startProduction(otherwise?: MadeOtherwise): Promise<Production> {
  const folder = await mkdtemp(join(tmpdir(), 'accredit-production-'))
  const database = await startTestDatabase()
  const place = await productionPlace(folder, database.url, otherwise)
  const processes = new Processes(place)
  const authority = join(folder, 'caddy', 'pki', 'authorities', 'local', 'root.crt')
  const stop = async () => {
    await processes.stop()
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await startAll(processes, otherwise?.signerElsewhere, () => otherwise?.start?.(folder) ?? processes.start('ledger'))
    await vi.waitFor(() => readFile(authority), { timeout: 30_000 })
  } catch (error) {
    await stop()
    throw error
  }
  const ca = await readFile(authority)
  const { https, first, second, ledger } = place.ports
  return {
    call: (method, path, body, key) => callTls({ port: https, ca, method, path, body, key }),
    run: processes.run,
    replicas: [first, second],
    ledgerPort: ledger,
    kill: (name) => processes.end(name, 'SIGKILL'),
    signal: processes.signal,
    start: processes.start,
    logOf: processes.logOf,
    publicUrl: `https://localhost:${https}`,
    authority,
    folder,
    databaseUrl: database.url,
    stop,
  }
}

/** Starts each process as early as it can be of use, as `npm start` does: most of a start is the loading of code. */
async function startAll(
  processes: Processes,
  signerElsewhere: MadeOtherwise['signerElsewhere'],
  startLedger: () => Promise<void>,
): Promise<void> {
  const { start, run } = processes
  const besides = Promise.all([start('redis'), start('proxy')])
  // It is awaited after the preparing, which may fail first.
  besides.catch(() => undefined)
  const { code, said } = await run('prepare', programOf('prepare'))
  if (code !== 0) throw new Error(said)
  await besides
  if (signerElsewhere) await processes.replaceSigner(signerElsewhere)
  const signer = start('signer')
  const behindLedger = startLedger().then(() => start('indexer'))
  const worker = signer.then(() => start('worker'))
  await Promise.all([behindLedger, worker, start('api-1'), start('api-2')])
}

class Processes {
  private readonly running = new Map<string, ChildProcess>()
  private readonly services

  constructor(private readonly place: ProductionPlace) {
    this.services = productionServices(place)
  }

  async replaceSigner(make: (place: ProductionPlace) => Promise<ServiceProcess>): Promise<void> {
    this.services.signer = await make(this.place)
  }

  private readonly logFile = (name: string) => join(this.place.folder, `${name}.log`)

  readonly logOf = (name: string): Promise<string> => readFile(this.logFile(name), 'utf8')

  /** Starts a service, and returns when it is healthy as compose understands it. */
  readonly start = async (name: string): Promise<void> => {
    const service = this.services[name]
    if (!service) throw new Error(`there is no ${name}`)
    const { command, args, env, health } = service
    const log = await open(this.logFile(name), 'a')
    const { size } = await log.stat()
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', log.fd, log.fd] })
    await log.close()
    this.running.set(name, child)
    if (!health) return
    // A check loads a program each time: it is asked when the service says that it is ready.
    const saidReady = async () => {
      const said = (await readFile(this.logFile(name))).subarray(size).toString()
      if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`)
      if (!said.includes('{"ready":')) throw new Error(`${name} is not ready: ${said}`)
    }
    await vi.waitFor(saidReady, { timeout: 240_000, interval: 50 })
    await vi.waitFor(() => execute(process.execPath, health, { cwd: root, env }), { timeout: 120_000, interval: 500 })
  }

  readonly end = async (name: string, signal: NodeJS.Signals): Promise<void> => {
    const child = this.running.get(name)
    this.running.delete(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  readonly signal = (name: string, signal: NodeJS.Signals): void => {
    if (!this.running.get(name)?.kill(signal)) throw new Error(`${name} does not run`)
  }

  readonly run: Production['run'] = async (service, program, more = {}) => {
    const env = { ...settingsOf(service, this.place), ...more }
    return execute(process.execPath, program, { cwd: root, env }).then(
      ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, said: stdout + stderr }),
    )
  }

  /** Ends the replicas of the API first, Redis and the proxy last. */
  readonly stop = async (): Promise<void> => {
    for (const name of Object.keys(this.services).toReversed())
      await this.end(name, name === 'redis' ? 'SIGKILL' : 'SIGTERM')
  }
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
