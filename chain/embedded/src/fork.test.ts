import './executor-log-level.js'
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
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import { randomKeys } from './keys.js'
import { type OpenLedger, openLedger } from './open-ledger.js'
import { Actor } from './testing/actor.js'
import { FeePayer, randomPair } from './testing/fee-payer.js'

let scratch: ScratchDatabase
let opened: OpenLedger
let payer: FeePayer

beforeAll(async () => {
  scratch = await scratchDatabase()
  const pair = await randomPair()
  opened = await openLedger({ databaseUrl: scratch.url, keys: randomKeys(), feeAccounts: [pair.address] })
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
  test('over a socket: it builds on the head, reads the past through it, and leaves it as it was', async () => {
    const fork = await setup({ endpoint: opened.url, buildBlockMode: BuildBlockMode.Manual })
    await expectFork(fork)
    await fork.close()
  })

  test('in this process, without a socket: likewise', async () => {
    const { number, hash } = opened.ledger.head
    const fork = new Blockchain({
      api: new Api(opened.ledger.provider()),
      buildBlockMode: BuildBlockMode.Manual,
      inherentProviders,
      registeredTypes: {},
      header: { number, hash },
    })
    await expectFork(fork)
    await fork.close()
  })
})

async function expectFork(fork: Blockchain): Promise<void> {
  const before = opened.ledger.head
  expect(fork.head.hash).toBe(before.hash)
  const api = await ApiPromise.create({ provider: new ChopsticksProvider(fork), noInitWarn: true })
  const actor = new Actor(payer.place)
  const call = api.createType('Call', actor.create())
  await api.rpc.author.submitExtrinsic(await api.tx(call).signAsync(payer.pair, { era: 0 }))
  const built = await fork.newBlock()
  expect(built.number).toBe(before.number + 1)
  expect(await createdAt(api, built.hash)).toBe(1)
  expect(await createdAt(api, before.hash)).toBe(1)
  expect(opened.ledger.head).toBe(before)
  await api.disconnect()
}

async function createdAt(api: ApiPromise, hash: string): Promise<number> {
  const events = await (await api.at(hash)).query.system?.events?.()
  return decodeEvents(events?.toU8a() ?? '0x00').filter(({ name }) => name === 'Created').length
}
