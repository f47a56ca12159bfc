/** A real ledger, a real Postgres, and signers in this process or in ones that can be killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Did, didIdOf, type Hex, type Hex32, hex32Of } from '@accredit/chain'
import { type LedgerOptions, type OpenLedger, openLedger, randomKeys } from '@accredit/embedded-ledger'
import pg from 'pg'
import pino from 'pino'
import { SHORT_LIVED } from '../../chain/embedded/src/testing/ledger-process.js'
import { scratchDatabase } from '../../test/support/scratch-database.js'
import {
  type Action,
  type ActionState,
  type HeldKind,
  type MadeKey,
  type SignerClient,
  SignerUnavailable,
  signerClient,
} from '../src/client.js'
import { readConfig } from '../src/config.js'
import { initialise } from '../src/index.js'
import { openSigner, type Signer } from '../src/signer.js'

export interface World {
  databaseUrl: string
  folder: string
  socket: string
  masterKeyFile: string
  feeAccount: string
  ledger: OpenLedger
  sql: pg.Client
  /** Moves the ledger's clock. */
  clockOffset: { ms: number }
  close(): Promise<void>
}

const ownToken = 'a'.repeat(32)

/** A ledger whose URL lets in as a process of the product: a stranger's dry runs are bounded. */
async function openOwnLedger(options: LedgerOptions): Promise<OpenLedger> {
  const opened = await openLedger({ ...options, ownToken })
  return { ...opened, url: `${opened.url}/${ownToken}` }
}

/** `others` are accounts that have money from the start, like the fee account. */
export async function openWorld(others: string[] = []): Promise<World> {
  const scratch = await scratchDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'signer-'))
  const masterKeyFile = join(folder, 'master.key')
  const feeAccount = await initialise({ databaseUrl: scratch.url, masterKeyFile })
  const clockOffset = { ms: 0 }
  const clock = () => Date.now() + clockOffset.ms
  const ledger = await openOwnLedger({
    databaseUrl: scratch.url,
    feeAccounts: [feeAccount, ...others],
    keys: randomKeys(),
    clock,
  })
  const sql = new pg.Client({ connectionString: scratch.url })
  sql.on('error', () => undefined)
  await sql.connect()
  const socket = join(folder, 'signer.sock')
  const world: World = {
    databaseUrl: scratch.url,
    folder,
    socket,
    masterKeyFile,
    feeAccount,
    ledger,
    sql,
    clockOffset,
    async close() {
      await world.ledger.close()
      await sql.end()
      await scratch.drop()
      rmSync(folder, { recursive: true })
    },
  }
  return world
}

export interface TestSigner {
  client: SignerClient
  /** The output, line by line. */
  lines: string[]
  stop(): Promise<void>
}

/** Opens a signer in this process, for tests of one that runs: it starts in a tenth of a process's time. */
export async function openSignerHere(
  world: World,
  more: Record<string, string> = {},
): Promise<TestSigner & Pick<Signer, 'address'>> {
  const config = readConfig(environmentOf(world, more))
  const lines: string[] = []
  const log = pino({ level: config.logLevel }, { write: (line) => lines.push(line) })
  const signer = await openSigner(config, log, (error) => {
    throw error
  })
  const client = signerClient({ socket: world.socket })
  return {
    client,
    lines,
    address: signer.address,
    async stop() {
      await client.close()
      await signer.close()
    },
  }
}

export interface RunningSigner extends TestSigner {
  process: ChildProcess
  /** Resolves when it has ended and all that it printed is in `lines`. */
  ended: Promise<unknown>
  kill(signal?: NodeJS.Signals): Promise<void>
}

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** The settings that a signer's process needs. */
interface Place extends Pick<World, 'databaseUrl' | 'masterKeyFile' | 'socket'> {
  ledger: { readonly url: string }
}

function environmentOf(world: Place, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return {
    ...process.env,
    DATABASE_URL: world.databaseUrl,
    LEDGER_URL: world.ledger.url,
    MASTER_KEY_FILE: world.masterKeyFile,
    SIGNER_SOCKET: world.socket,
    // The signer ends when this process does.
    ACCREDIT_SUPERVISED: '1',
    // A signer on a busy machine may give no sign for long.
    SIGNER_HOLD_MS: '60000',
    // The ledger's library sets another one for this process.
    LOG_LEVEL: 'info',
    ...more,
  }
}

/** Starts the process without waiting for it. */
export function launchSigner(world: Place, more: Record<string, string> = {}): RunningSigner {
  const child = spawn(process.execPath, [...SHORT_LIVED, main], {
    env: environmentOf(world, more),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const client = signerClient({ socket: more.SIGNER_SOCKET ?? world.socket })
  const ended = once(child, 'close')
  async function kill(signal: NodeJS.Signals = 'SIGKILL') {
    child.kill(signal)
    await ended
    await client.close()
  }
  return { client, process: child, lines, ended, kill, stop: () => kill('SIGTERM') }
}

export async function startSigner(world: World, more: Record<string, string> = {}): Promise<RunningSigner> {
  const signer = launchSigner(world, more)
  let hasEnded = false
  void signer.ended.then(() => {
    hasEnded = true
  })
  const isReady = () => signer.lines.some((line) => line.startsWith('{"ready"'))
  await until(() => isReady() || hasEnded)
  if (hasEnded) throw new Error(signer.lines.join('\n'))
  return signer
}

/** Checks every few ms until the condition holds. */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = 150_000): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('It did not happen in time.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Resolves with the states when every action is final or refused; a signer that is away is waited for. */
export async function settled(
  client: SignerClient,
  ids: string[],
  withinMs = 150_000,
): Promise<Map<string, ActionState>> {
  let states: ActionState[] = []
  await until(async () => {
    try {
      states = await client.actionStates(ids)
    } catch (error) {
      if (error instanceof SignerUnavailable) return false
      throw error
    }
    return states.length === ids.length && states.every(({ state }) => state === 'final' || state === 'refused')
  }, withinMs)
  return new Map(states.map((state) => [state.id, state]))
}

export interface TestDid {
  did: Did
  keyRef: string
  creation: Action
}

/** Makes the keys of a new DID and the action that creates it (sequence 0). */
export async function newDid(client: SignerClient): Promise<TestDid> {
  return didOfKeys(await client.makeKeys(crypto.randomUUID(), ['Ed25519', 'X25519']))
}

export function didOfKeys(given: MadeKey<HeldKind>[]): TestDid {
  const made = given.flatMap(({ kind, ...key }) =>
    kind === 'BBDT16' || kind === 'VbAccumulator' ? [] : [{ ...key, kind }],
  )
  const [first] = made
  if (first === undefined) throw new Error('no key')
  const salt = randomHex32()
  const did = didIdOf({ kind: first.kind, publicKey: asHex(first.publicKey) }, salt)
  const keys = made.map((key) => ({ ...key, relationships: 0 }))
  const id = `create ${did}`
  const creation: Action = { id, did, sequence: 0, kind: 'create', salt, keys, controllers: [], services: [] }
  return { did, keyRef: first.keyRef, creation }
}

export function act(actor: TestDid, sequence: number, calls: Uint8Array[], keyId = 1): Action {
  return {
    id: `${actor.did} ${sequence}`,
    did: actor.did,
    sequence,
    kind: 'dispatch',
    keyId,
    keyRef: actor.keyRef,
    calls: calls.map((call) => `0x${Buffer.from(call).toString('hex')}`),
  }
}

export function randomHex32(): Hex32 {
  return hex32Of(crypto.getRandomValues(new Uint8Array(32)))
}

function asHex(text: string): Hex {
  return `0x${text.slice(2)}`
}
