import { randomKeys, openLedger as startLedger } from '@accredit/embedded-ledger'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LedgerSwitch } from '../../test/support/ledger-switch.js'
import { scratchDatabase } from '../../test/support/scratch-database.js'
import { type Ledger, openLedger } from '../src/actions/ledger.js'
import { servePruned } from './pruned-node.js'
import { newDid, openSignerHere, openWorld, settled, until, type World } from './support.js'

/** Nobody listens at this address. */
const NOBODY = 'ws://127.0.0.1:9'

let world: World
let genesisHash: string
let foreign: Awaited<ReturnType<typeof startLedger>>
let closeForeign: () => Promise<void>
/** Two ways to nodes: each leads to the ledger, to another ledger, or nowhere. */
let ways: [LedgerSwitch, LedgerSwitch]
let lines: string[]
let door: Ledger | undefined

beforeAll(async () => {
  world = await openWorld()
  const scratch = await scratchDatabase()
  foreign = await startLedger({ databaseUrl: scratch.url, feeAccounts: [world.feeAccount], keys: randomKeys() })
  closeForeign = async () => {
    await foreign.close()
    await scratch.drop()
  }
  const first = await openLedger([world.ledger.url], pino({ level: 'silent' }))
  genesisHash = await first.genesisHash()
  await first.close()
  ways = [await LedgerSwitch.to(world.ledger.url), await LedgerSwitch.to(world.ledger.url)]
})
afterEach(async () => {
  await door?.close()
  for (const way of ways) way.turnTo(world.ledger.url)
})
afterAll(async () => {
  for (const way of ways ?? []) await way.close()
  await closeForeign?.()
  await world?.close()
})

/** The address of a node at the end of a way: its path is the token that lets in. */
const at = (way: LedgerSwitch) => `${way.url}${new URL(world.ledger.url).pathname}`
const urls = () => ways.map(at)

async function open(nodes: string[], known: Parameters<typeof openLedger>[2] = {}): Promise<Ledger> {
  lines = []
  door = await openLedger(nodes, pino({ level: 'warn' }, { write: (line) => lines.push(line) }), known)
  return door
}

/** Tells whether the wanted ledger answers: a request that is under way when its node goes is refused. */
const answers = (ledger: Ledger) =>
  ledger.genesisHash().then(
    (hash) => hash === genesisHash,
    () => false,
  )

async function directly<T>(ask: (ledger: Ledger) => Promise<T>): Promise<T> {
  const direct = await openLedger([world.ledger.url], pino({ level: 'silent' }))
  try {
    return await ask(direct)
  } finally {
    await direct.close()
  }
}

const headHeight = () => directly(async (ledger) => (await ledger.finalHead()).height)
const hashOfBlock = (height: number) => directly(async (ledger) => (await ledger.hashAt(height)) ?? '')

const makeBlock = async () => {
  const signer = await openSignerHere(world)
  const did = await newDid(signer.client)
  await signer.client.submitActions([did.creation])
  await settled(signer.client, [did.creation.id])
  await signer.stop()
}

describe('of several nodes', () => {
  test('one that does not answer is passed over, at the start and later', async () => {
    const ledger = await open([NOBODY, ...urls()])
    expect(await ledger.genesisHash()).toBe(genesisHash)
    const heads: number[] = []
    await ledger.follow('final', (height) => heads.push(height))
    for (const way of ways) {
      const told = heads.length
      way.turnTo(NOBODY)
      await until(async () => (await answers(ledger)) && heads.length > told)
      way.turnTo(world.ledger.url)
    }
    await makeBlock()
    const { height } = await ledger.finalHead()
    await until(async () => heads.includes(height))
  })

  test('one with another ledger is refused with a sentence, and never asked anything else', async () => {
    const [first, second] = ways
    first.turnTo(foreign.url)
    const ledger = await open(urls(), { genesisHash })
    expect(await ledger.genesisHash()).toBe(genesisHash)
    expect(lines.join()).toMatch(/belongs to ledger 0x\w{64}, this one is 0x/)
    expect(lines.join()).not.toContain(new URL(world.ledger.url).pathname.slice(1))
    const heads: number[] = []
    await ledger.follow('final', (height) => heads.push(height))
    await until(async () => heads.length > 0)
    const told = heads.length
    second.turnTo(NOBODY)
    await until(async () => !ledger.isConnected)
    await expect(ledger.finalHead()).rejects.toMatchObject({ type: 'ledger_unavailable' })
    await expect(ledger.submit(Buffer.from([1]))).rejects.toThrow()
    second.turnTo(world.ledger.url)
    await until(async () => (await answers(ledger)) && heads.length > told)
    expect(new Set(heads)).toEqual(new Set([(await ledger.finalHead()).height]))
  })

  test('one that has discarded a block that is still to be read is left for the next, with a sentence', async () => {
    const pruned = await servePruned(at(ways[0]), new Set([genesisHash]))
    const ledger = await open([pruned.url, ...urls()], { genesisHash, newestRead: async () => 0 })
    expect(lines.join()).toMatch(/has discarded block 0, which the signer still reads/)
    expect((await ledger.runtimeVersion(genesisHash)).specVersion).toBeGreaterThan(0)
    await ledger.close()
    const enough = await open([pruned.url], { genesisHash, newestRead: async () => (await headHeight()) + 1 })
    await expect(enough.runtimeVersion(genesisHash)).rejects.toThrow()
    expect(lines).toEqual([])
    await enough.close()
    await expect(open([pruned.url], { genesisHash, newestRead: async () => 0 })).rejects.toThrow(
      /has discarded block 0/,
    )
    // A pruned node may have the state of genesis in its memory.
    const withGenesis = await servePruned(at(ways[0]), new Set([await hashOfBlock(1)]))
    const opening = open([withGenesis.url], { genesisHash, newestRead: async () => 0 })
    await expect(opening).rejects.toThrow(/has discarded block 1/)
    await withGenesis.close()
    await pruned.close()
  })

  test('when all are behind what it has read a signer does not start, and one that runs goes on', async () => {
    let newestRead = (await headHeight()) + 5
    await expect(open(urls(), { genesisHash, newestRead: async () => newestRead })).rejects.toThrow(
      new RegExp(`has no final block ${newestRead}`),
    )
    newestRead -= 5
    const ledger = await open(urls(), { genesisHash, newestRead: async () => newestRead })
    newestRead += 5
    const [first] = ways
    first.turnTo(world.ledger.url)
    await until(() => answers(ledger))
  })

  test('when all have another ledger the signer does not start', async () => {
    for (const way of ways) way.turnTo(foreign.url)
    await expect(open(urls(), { genesisHash })).rejects.toThrow(/^The signer's database belongs to ledger/)
  })

  test('one at which no block becomes final is left for the next', async () => {
    const ledger = await open(urls(), { genesisHash, stallMs: 1_000 })
    await ledger.follow('final', () => undefined)
    await until(async () => lines.some((line) => line.includes('stands still at this node')))
    await until(async () => ledger.isConnected)
  })
})

test('a signer whose only node has discarded what it still reads does not start', async () => {
  await makeBlock()
  const heights = Array.from({ length: (await headHeight()) + 1 }, (_, height) => height)
  const pruned = await servePruned(at(ways[0]), new Set(await Promise.all(heights.map(hashOfBlock))))
  const start = openSignerHere(world, { LEDGER_URLS: pruned.url })
  await expect(start).rejects.toThrow(/has discarded block \d+, which the signer still reads/)
  await pruned.close()
})

test('a signer with several nodes ends what it began at another one', async () => {
  const signer = await openSignerHere(world, { LEDGER_URLS: urls().join(), LEDGER_FINALITY: 'grandpa' })
  const dids = await Promise.all(Array.from({ length: 6 }, () => newDid(signer.client)))
  for (const [n, { creation }] of dids.entries()) {
    ways[n % 2 === 0 ? 0 : 1].turnTo(world.ledger.url)
    ways[n % 2 === 0 ? 1 : 0].turnTo(NOBODY)
    await signer.client.submitActions([creation])
  }
  const states = await settled(
    signer.client,
    dids.map(({ creation }) => creation.id),
  )
  expect([...states.values()].map(({ state }) => state)).toEqual(dids.map(() => 'final'))
  await signer.stop()
})
