/** A ledger and two signers, each a process of its own that can be killed, over one database. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { SHORT_LIVED } from '../../chain/embedded/src/testing/ledger-process.js'
import { scratchDatabase } from '../../test/support/scratch-database.js'
import { signerClient } from '../src/client.js'
import { initialise } from '../src/index.js'
import { bring, newAccount } from './account.js'
import { type Gate, installGate } from './gate.js'
import { launchSigner, until } from './support.js'

export type FireRange = Awaited<ReturnType<typeof openFireRange>>

/** `settingsOf` tells the settings of the signer that is to hold the database at a kill, counted from 0. */
export async function openFireRange(settingsOf: (kill: number) => Record<string, string>) {
  const scratch = await scratchDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'fire-'))
  const clockFile = join(folder, 'offset')
  writeFileSync(clockFile, '0')
  const testing = { ACCREDIT_TEST: '1', CLOCK_OFFSET_FILE: clockFile }
  const masterKeyFile = join(folder, 'master.key')
  const feeAccount = await initialise({ databaseUrl: scratch.url, masterKeyFile })
  const sql = new pg.Client({ connectionString: scratch.url })
  sql.on('error', () => undefined)
  await sql.connect()
  const gate = await installGate(sql)
  const stranger = newAccount()
  const ledger = await startLedger({
    ...testing,
    DATABASE_URL: scratch.url,
    LEDGER_KEY_FILE: join(folder, 'ledger.json'),
    LEDGER_FEE_ACCOUNTS: `${feeAccount} ${stranger.address}`,
  })
  const socket = join(folder, 'signer.sock')
  const place = { databaseUrl: scratch.url, masterKeyFile, socket, ledger }
  const client = signerClient({ socket })
  let launches = 0
  const launch = (settings?: Record<string, string>) => {
    launches += 1
    const its = settings ?? settingsOf(launches - 1)
    return { settings: its, signer: launchSigner(place, { ...testing, ...its }) }
  }
  type Launched = ReturnType<typeof launch>
  let running: Launched[] = [launch(), launch()]

  /** Returns the signer that holds the database. */
  async function active(): Promise<Launched> {
    let found: Launched | undefined
    await until(() => {
      const died = running.find(({ signer }) => signer.process.exitCode !== null)
      if (died !== undefined) throw new Error(died.signer.lines.join('\n'))
      found = running.find(({ signer }) => signer.lines.some((line) => line.startsWith('{"ready"')))
      return found !== undefined
    })
    if (found === undefined) throw new Error('No signer is ready.')
    return found
  }

  async function replace(launched: Launched, settings?: Record<string, string>) {
    await launched.signer.kill('SIGKILL')
    running = [...running.filter((other) => other !== launched), launch(settings)]
  }

  return {
    client,
    sql,
    gate,
    ledger,
    /** Resolves when a signer holds the database. */
    isHeld: async () => {
      await active()
    },
    /** Kills the signer that holds the database: the other one takes over, and a new one waits. */
    kill: async () => replace(await active()),
    /** Kills the one that has run longer, whatever it is doing. */
    killEarly: async () => {
      const [first] = running
      if (first !== undefined) await replace(first)
    },
    /**
     * Two signers that were just starting may have overtaken each other: then the one with these settings is not first.
     */
    async demand(settings: Record<string, string>) {
      if (JSON.stringify((await active()).settings) === JSON.stringify(settings)) return
      for (const launched of running) await replace(launched, settings)
    },
    /** Makes a block without anything that concerns a signer. */
    async nudge() {
      await bring(ledger.url, stranger, [])
    },
    hasten(ms: number) {
      writeFileSync(clockFile, String(ms))
    },
    async close() {
      await Promise.all(running.map(({ signer }) => signer.kill()))
      await client.close()
      await ledger.kill()
      await sql.end()
      await scratch.drop()
      rmSync(folder, { recursive: true })
    },
  }
}

const ledgerMain = fileURLToPath(new URL('../../chain/embedded/dist/main.js', import.meta.url))

async function startLedger(environment: Record<string, string>) {
  let child: ChildProcess | undefined
  let url = ''

  async function start() {
    const port = url === '' ? '0' : new URL(url).port
    const env = { ...process.env, ...environment, LEDGER_PORT: port, ACCREDIT_SUPERVISED: '1' }
    const started = spawn(process.execPath, [...SHORT_LIVED, ledgerMain], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    child = started
    for await (const line of createInterface({ input: started.stdout })) {
      if (!line.startsWith('{"ready"')) continue
      url = JSON.parse(line).url
      started.stdout.resume()
      return
    }
    throw new Error('The ledger did not start.')
  }

  await start()
  return {
    get url() {
      return url
    },
    signal: (signal: NodeJS.Signals) => child?.kill(signal),
    async kill() {
      const ended = child === undefined || child.exitCode !== null ? undefined : once(child, 'exit')
      child?.kill('SIGKILL')
      await ended
    },
    start,
  }
}

/** The moment of a kill is random. */
export function someTime(withinMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, randomInt(withinMs)))
}

/** Holds the signer's follower at a block of no meaning, so that it decides nothing about the blocks after. */
export async function holdFollower({ nudge: blockOfNoMeaning, gate }: { nudge(): Promise<void>; gate: Gate }) {
  await gate.close('followed')
  await blockOfNoMeaning()
  await gate.isWaitedFor('followed')
}
