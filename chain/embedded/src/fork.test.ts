import './testing/executor-log-level.js'
import {
  Api,
  Blockchain,
  BuildBlockMode,
  ChopsticksProvider,
  destroyWorker,
  setup,
} from '@acala-network/chopsticks-core'
import { inherentProviders } from '@acala-network/chopsticks-core/blockchain/inherent/index'
import { decodeEvents } from '@accredit/chain'
import { ApiPromise } from '@polkadot/api'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import { randomKeys } from './keys.js'
import type { Ledger } from './ledger.js'
import { type OpenLedger, openLedger } from './open-ledger.js'
import type { Hex } from './store/store.js'
import { Actor } from './testing/actor.js'
import { FeePayer, randomPair } from './testing/fee-payer.js'
import { wholeState } from './testing/whole-state.js'

/** The nonce of the fee payer after the one block that the ledger has of it. */
const NEXT_NONCE = 1

let scratch: ScratchDatabase
let opened: OpenLedger
let payer: FeePayer

beforeAll(async () => {
  scratch = await scratchDatabase()
  const pair = await randomPair()
  const now = Date.now()
  const settings = { databaseUrl: scratch.url, keys: randomKeys(), feeAccounts: [pair.address], clock: () => now }
  opened = await openLedger(settings)
  payer = await FeePayer.on(opened.ledger, pair)
  await payer.submit(new Actor(payer.place).create())
})

afterAll(async () => {
  await payer.close()
  await opened.close()
  await scratch.drop()
  await destroyWorker()
})

describe('the ledger as what chopsticks forks', () => {
  test('over a socket and in this process: it builds on the head, reads the past, leaves it as it was, and makes the same of every entry', async () => {
    const extrinsic = await payer.sign(new Actor(payer.place).create(), NEXT_NONCE)
    const differences = []
    for (const fork of [
      await setup({ endpoint: opened.url, buildBlockMode: BuildBlockMode.Manual }),
      forkInProcess(),
    ]) {
      differences.push(await differenceOn(fork, extrinsic))
      await fork.close()
    }
    const [overSocket, inProcess] = differences
    expect(overSocket).toEqual(inProcess)
    expect(Object.keys(overSocket ?? {}).length).toBeGreaterThan(10)
  })
})

describe('a fork of our own', () => {
  test('leaves every row of the ledger as it was, and does with an action what the ledger then does with it', async () => {
    const before = await everyRow()
    const extrinsic = await payer.sign(new Actor(payer.place).create(), NEXT_NONCE)
    const differences: Map<Hex, Hex | undefined>[] = []
    for (const fork of [await opened.ledger.fork(), await opened.ledger.fork()]) {
      differences.push(await difference(fork, extrinsic))
      await fork.close()
    }
    expect(await everyRow()).toEqual(before)
    differences.push(await difference(opened.ledger, extrinsic))
    const [first, second, third] = differences
    expect(first).toEqual(second)
    expect(first).toEqual(third)
    expect(first?.size).toBeGreaterThan(5)
    expect(await everyRow()).not.toEqual(before)
  })
})

function forkInProcess(): Blockchain {
  const { number, hash } = opened.ledger.head
  return new Blockchain({
    api: new Api(opened.ledger.provider()),
    buildBlockMode: BuildBlockMode.Manual,
    inherentProviders,
    registeredTypes: {},
    header: { number, hash },
  })
}

/** Returns the entries of the state that an extrinsic changed, with their new values. */
async function difference({ chain, producer }: Ledger, extrinsic: Hex): Promise<Map<Hex, Hex | undefined>> {
  const before = await wholeState(chain.store, chain.head.number)
  await producer.submit(extrinsic).included
  const after = await wholeState(chain.store, chain.head.number)
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key))
  return new Map(keys.map((key) => [key, after.get(key)]))
}

/** Reads a digest that stands for all that the ledger has stored. */
async function everyRow(): Promise<unknown> {
  const client = new pg.Client({ connectionString: scratch.url })
  await client.connect()
  const { rows } = await client.query(`
    select (select md5(string_agg(blocks::text, ',' order by number)) from chain.blocks) as blocks,
           (select md5(string_agg(state::text, ',' order by key, block)) from chain.state) as state`)
  await client.end()
  return rows
}

/** Runs an extrinsic that creates a DID on a fork and returns the entries that it changed. */
async function differenceOn(fork: Blockchain, extrinsic: Hex) {
  const [before, rows] = [opened.ledger.head, await everyRow()]
  expect(fork.head.hash).toBe(before.hash)
  const api = await ApiPromise.create({ provider: new ChopsticksProvider(fork), noInitWarn: true })
  await api.rpc.author.submitExtrinsic(extrinsic)
  const built = await fork.newBlock()
  expect(built.number).toBe(before.number + 1)
  expect(await createdAt(api, built.hash)).toBe(1)
  expect(await createdAt(api, before.hash)).toBe(1)
  expect(opened.ledger.head).toBe(before)
  expect(await everyRow()).toEqual(rows)
  await api.disconnect()
  return built.storageDiff()
}

async function createdAt(api: ApiPromise, hash: string): Promise<number> {
  const events = await (await api.at(hash)).query.system?.events?.()
  return decodeEvents(events?.toU8a() ?? '0x00').filter(({ name }) => name === 'Created').length
}
