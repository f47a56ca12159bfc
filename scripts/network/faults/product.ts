import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pg from 'pg'
import type { StartOptions } from '../../start/options.js'
import { freePort } from '../../start/processes/ports.js'
import { messageOf, Refusal } from '../../start/refusal.js'
import { type Stack, startStack } from '../../start/stack.js'
import { loadSettings, makeStateDir } from '../../start/state/settings.js'
import { type Client, connect } from '../../tour/client.js'
import { interruption } from '../interruption.js'
import type { NodeState } from '../network-state.js'
import { rpcUrlOf } from '../status.js'
import { BEGUN_WITHIN_MS, until } from './waiting.js'

const quiet = { step: () => {}, tell: () => {} }

/** The whole product on a network, as `npm start -- --ledger-urls` starts it, with a database of its own. */
export class Product {
  /** True from when it is given up: nobody waits for its answers any more. */
  isRemoved = false

  private constructor(
    private readonly options: StartOptions,
    private stack: Stack,
  ) {}

  static async start(stateDir: string, nodes: readonly NodeState[]): Promise<Product> {
    await makeStateDir(stateDir)
    const options: StartOptions = {
      projectRoot: resolve('.'),
      environment: 'sandbox',
      fresh: false,
      tour: false,
      port: await freePort(),
      databaseUrl: undefined,
      stateDir,
    }
    return new Product(options, await startOn(options, nodes.map(rpcUrlOf)))
  }

  get apiUrl(): string {
    return this.stack.apiUrl
  }

  get apiKey(): string {
    return this.stack.apiKey
  }

  get feeAccount(): string {
    return this.stack.feeAccount
  }

  /** The database of all its processes, as its owner. */
  get databaseUrl(): string {
    return this.stack.databaseUrl
  }

  get client(): Client {
    return connect(this.apiUrl, this.apiKey, interruption)
  }

  /** Returns the hashes of the blocks above a height that its index holds now, by their height. */
  async indexedAbove(height: number): Promise<Map<number, string>> {
    const index = new pg.Client({ connectionString: this.databaseUrl })
    await index.connect()
    try {
      const sql = 'select height, hash from ledger.block where height > $1'
      const { rows } = await index.query<{ height: number; hash: string }>(sql, [height])
      return new Map(rows.map(({ height, hash }) => [height, hash]))
    } finally {
      await index.end()
    }
  }

  stop(): Promise<void> {
    return this.stack.stop()
  }

  /** Starts it again, after a stop, on some nodes. */
  async startAgain(nodes: readonly NodeState[]): Promise<void> {
    this.stack = await startOn(this.options, nodes.map(rpcUrlOf))
  }

  /** Stops it and starts it again on other nodes. */
  async moveTo(nodes: readonly NodeState[]): Promise<void> {
    await this.stop()
    await this.startAgain(nodes)
  }

  /** Kills one of its processes, and waits until another one has its place. */
  async kill(name: string): Promise<void> {
    const pid = this.stack.pids()[name]
    if (pid === undefined) throw new Refusal(`The product has no process '${name}' now.`)
    process.kill(pid, 'SIGKILL')
    await until(`${name} is back`, async () => (this.stack.pids()[name] ?? pid) !== pid, BEGUN_WITHIN_MS)
  }

  /** Returns what waits until each of some sentences was told in its log since this moment, for so long. */
  async told(sentences: readonly RegExp[], withinMs: number): Promise<() => Promise<void>> {
    const file = join(this.options.stateDir, 'accredit.log')
    const { length } = await readFile(file, 'utf8')
    return () =>
      until(
        `the product has told ${sentences.join(' and ')}`,
        async () => {
          const log = (await readFile(file, 'utf8')).slice(length)
          return sentences.every((sentence) => sentence.test(log))
        },
        withinMs,
      )
  }

  /** Ends it and removes its folder. Where one of its processes may still run it keeps the folder, which has their log. */
  async remove(): Promise<void> {
    this.isRemoved = true
    const { stateDir } = this.options
    await this.stop().catch((error) => {
      throw new Refusal(
        `The product in ${stateDir} could not be stopped: ${messageOf(error)} Its folder stays, with its log.`,
      )
    })
    await rm(stateDir, { recursive: true, force: true })
  }

  async untilReady(): Promise<void> {
    const isReady = async () => (await fetch(`${this.apiUrl}/ready`)).ok
    await until('the product is ready', isReady, BEGUN_WITHIN_MS)
  }
}

async function startOn(options: StartOptions, ledgerUrls: string[]): Promise<Stack> {
  const settings = await loadSettings({ ...options, ledgerUrls })
  return startStack(options, { ...settings, ledgerUrls }, quiet, interruption)
}
