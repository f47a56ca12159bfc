import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomKeys } from '@accredit/embedded-ledger'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { servePruned } from '../../signer/test/pruned-node'
import { LedgerSwitch } from '../../test/support/ledger-switch'
import { type ScratchDatabase, scratchDatabase } from '../../test/support/scratch-database'
import { Node } from './node'
import { NodeWatch } from './node-watch'
import { Nodes } from './nodes'
import { TestChain } from './testing/chain'
import { IndexProcess } from './testing/index-process'

/** Nobody listens at this address. */
const NOBODY = 'ws://127.0.0.1:9'

let databases: ScratchDatabase[]
/** Two ledgers of one genesis, and one of another; the second is a block ahead of the first. */
let chains: [TestChain, TestChain, TestChain]

beforeAll(async () => {
  databases = await Promise.all([scratchDatabase(), scratchDatabase(), scratchDatabase()])
  const [first, second, other] = databases.map(({ url }) => url)
  const keys = randomKeys()
  const open = (url = '', of = keys) => TestChain.open(url, of)
  chains = [await open(first), await open(second), await open(other, randomKeys())]
  await chains[1].createDid()
})

afterAll(async () => {
  for (const chain of chains ?? []) await chain.close()
  for (const database of databases ?? []) await database.drop()
})

test('of several nodes the one with the newest final block is read, of equal ones the first', async () => {
  const [first, second] = chains
  const { height } = await second.head()
  expect(first.genesisHash).toBe(second.genesisHash)
  const newest = (...urls: string[]) => new Nodes(urls, undefined).newest()
  expect(await newest(first.url, NOBODY, second.url)).toMatchObject({ url: second.url, height })
  expect(await newest(second.url, first.url)).toMatchObject({ url: second.url, height })
  expect(await newest(NOBODY)).toBeUndefined()
  const gate = await LedgerSwitch.to(second.url)
  expect(await newest(gate.url, second.url)).toMatchObject({ url: gate.url, height })
  await gate.close()
})

test('a node that takes connections and answers nothing holds up the others for three seconds', async () => {
  const [first] = chains
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const begun = performance.now()
  const url = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`
  expect(await new Nodes([url, first.url], first.genesisHash).newest(url)).toMatchObject({ url: first.url })
  expect(performance.now() - begun).toBeLessThan(6_000)
  silent.close()
  silent.closeAllConnections()
})

test('a node of another ledger is never read, and where there is no other one that is a refusal', async () => {
  const [first, , other] = chains
  const nodes = new Nodes([other.url, first.url], first.genesisHash)
  expect(await nodes.newest()).toMatchObject({ url: first.url })
  expect(await nodes.whenThere()).toMatchObject({ url: first.url })
  const sentence = `The index belongs to ledger ${first.genesisHash}, and the node at 127.0.0.1:`
  await expect(new Nodes([other.url], first.genesisHash).newest()).rejects.toThrow(sentence)
  expect(await new Nodes([other.url, NOBODY], first.genesisHash).newest()).toBeUndefined()
})

test('a node that has discarded the state of the next block is told and not read, and one that has what is needed is', async () => {
  const [first, second] = chains
  const genesis = first.genesisHash
  const pruned = await servePruned(second.url, new Set([genesis]))
  const { height } = await second.head()
  const reading = (urls: string[], newestRead: number) => new Nodes(urls, genesis, async () => newestRead).newest()
  // It has the newest block, and would be the one that is read.
  expect(await reading([pruned.url, first.url], 0)).toMatchObject({ url: first.url })
  expect(await reading([pruned.url, first.url], height)).toMatchObject({ url: pruned.url, height })
  expect(await reading([pruned.url, first.url], height + 1)).toMatchObject({ url: pruned.url, height })
  const sentence = /^The node at 127\.0\.0\.1:\d+ has discarded block 0, which the index still reads/
  await expect(reading([pruned.url], 0)).rejects.toThrow(sentence)
  expect(await reading([pruned.url, NOBODY], 0)).toBeUndefined()
  // A pruned node may have the state of genesis in its memory.
  const withGenesis = await servePruned(second.url, new Set([(await new Node(second.url).hashAt(1)) ?? '']))
  expect(await reading([withGenesis.url, first.url], 0)).toMatchObject({ url: first.url })
  await withGenesis.close()
  await pruned.close()
})

test('an indexer whose only node has discarded what it reads next ends with a sentence', async () => {
  const [, second] = chains
  const [, database] = databases
  const pruned = await servePruned(second.url, new Set([second.genesisHash]))
  const start = IndexProcess.start(database?.url ?? '', pruned.url)
  await expect(start).rejects.toThrow(/has discarded block 0, which the index still reads/)
  await pruned.close()
})

test('a node that is gone, or stands still while another goes on, is left', async () => {
  const [first, second] = chains
  const gate = await LedgerSwitch.to(second.url)
  const reasons: string[] = []
  const watching = (url: string, ...others: string[]) =>
    new NodeWatch(url, new Nodes([url, ...others], first.genesisHash), (reason) => reasons.push(reason), 0)
  const { height } = await second.head()

  const alone = watching(gate.url)
  await alone.heard(height)
  await alone.heard(height)
  await alone.unheard()
  const equal = watching(gate.url, second.url)
  await equal.heard(height)
  await equal.heard(height)
  const ahead = watching(second.url, first.url)
  await ahead.heard(height)
  await ahead.unheard()
  // After a pause of the whole network the own node goes on as the others do.
  const paused = watching(second.url, gate.url)
  const pausedAsWell = watching(gate.url, second.url)
  for (const watch of [paused, pausedAsWell]) for (let n = 0; n < 4; n += 1) await watch.heard(height - 1)
  expect(reasons).toEqual([])

  gate.turnTo(NOBODY)
  await expect(new Node(gate.url).finalizedHead()).rejects.toThrow()
  await equal.unheard()
  const stalled = watching(first.url, second.url)
  await stalled.heard(height - 1)
  await stalled.heard(height - 1)
  expect(reasons).toHaveLength(1)
  await stalled.heard(height - 1)
  expect(reasons).toEqual([
    expect.stringMatching(/^The node at 127\.0\.0\.1:\d+ does not answer/),
    expect.stringMatching(/stands still at block \d+: 127\.0\.0\.1:\d+ is ahead/),
  ])
  await gate.close()
})
