import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { WsProvider } from '@polkadot/api'

/** The compiled process, wherever this file runs from. */
const MAIN = new URL('../../dist/main.js', import.meta.url).pathname

/** Flags for a process that ends within seconds: V8's optimising costs a sixth of its start, and pays off later. */
export const SHORT_LIVED = ['--no-opt']

export interface RunningLedger {
  readonly child: ChildProcess
  readonly url: string
  readonly genesisHash: string
}

/** Ledgers that run as they do in the field, each a process of its own: for tests. */
export class LedgerProcesses {
  readonly #environment: Readonly<Record<string, string>>
  readonly #running = new Set<ChildProcess>()

  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment
  }

  /** Returns when the ledger is ready. */
  async start(environment: Readonly<Record<string, string>> = {}): Promise<RunningLedger> {
    const child = this.#launch(environment)
    for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
      const message = JSON.parse(line)
      if (message.ready === 'ledger') return { child, url: message.url, genesisHash: message.genesisHash }
    }
    throw new Error('the ledger ended before it was ready')
  }

  /** Returns the exit and the output of a ledger that does not start. */
  async fails(environment: Readonly<Record<string, string>>): Promise<{ code: number; errors: string }> {
    const child = this.#launch(environment)
    let said = ''
    child.stdout?.on('data', (data) => {
      said += String(data)
    })
    const [code] = await once(child, 'close') // all of its output has arrived by then
    const errors = said
      .split('\n')
      .filter(Boolean)
      .map((line) => String(JSON.parse(line).msg))
    return { code, errors: errors.join('\n') }
  }

  killAll(): void {
    for (const child of this.#running) child.kill('SIGKILL')
  }

  #launch(environment: Readonly<Record<string, string>>): ChildProcess {
    const child = spawn(process.execPath, [...SHORT_LIVED, MAIN], {
      env: { PATH: process.env.PATH, ...this.#environment, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
    return child
  }
}

/** The package's own class does not fit the package's own interface under exactOptionalPropertyTypes. */
export class Socket extends WsProvider {
  override clone(): Socket {
    return new Socket(this.endpoint, false)
  }

  override get ttl(): number | null {
    return super.ttl ?? null
  }
}

/** A provider for `@polkadot/api` that does not connect again when its ledger is gone. */
export async function socketTo(url: string): Promise<Socket> {
  const provider = new Socket(url, false)
  await provider.connect()
  await provider.isReady
  return provider
}
