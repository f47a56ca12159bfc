import { randomKeys } from '@accredit/embedded-ledger'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LedgerSwitch } from '../../test/support/ledger-switch'
import { type ScratchDatabase, scratchDatabase } from '../../test/support/scratch-database'
import { Actors } from '../../test/testing/random-ledger/actors'
import { createActors, type RandomHistory, submitRandomBlock } from '../../test/testing/random-ledger/history'
import { LedgerWriter } from '../../test/testing/random-ledger/ledger-writer'
import { SeededRandom } from '../../test/testing/random-ledger/seeded-random'
import { TestChain } from './testing/chain'
import { finality, IndexProcess, projections } from './testing/index-process'

const SEED = Number(process.env.HISTORY_SEED ?? 20_260_103)
/** The number of blocks that can be taken back. */
const DEEPEST = 10
const COMMON_BLOCKS = 8
/** The actions that a test submits at once fit into one block, since the index takes back ten blocks at most. */
const ACTIONS_OF_A_BLOCK = 3

/** One of two ledgers that were one, with an index that never saw the other. */
interface Branch {
  chain: TestChain
  history: RandomHistory
  databases: ScratchDatabase[]
  index: IndexProcess
  indexUrl: string
}

let branches: [Branch, Branch]
let subject: { database: ScratchDatabase; index: IndexProcess; gate: LedgerSwitch }

/*
 *            /- A: 1   .   3   .   5 …      the index follows A for one block, B for two, A for three, …:
 *   common -+                               each time it takes back all that it had of the other one,
 *            \- B: .   2   .   4   . …      which is one block more than the time before
 */
beforeAll(async () => {
  console.log(`seed ${SEED}`)
  const keys = randomKeys()
  const common = await scratchDatabase()
  const chain = await TestChain.open(common.url, keys)
  const writer = await LedgerWriter.connect(chain.url, keys.sudo)
  const actors = Actors.of(new SeededRandom(SEED), writer.place)
  const history = { writer, actors, now: Date.now }
  await createActors(
    history,
    Array.from({ length: 12 }, (_, number) => `University ${number}`),
  )
  for (let block = 0; block < COMMON_BLOCKS; block += 1)
    await submitRandomBlock(history, ACTIONS_OF_A_BLOCK, 'everything')
  await writer.close()
  await chain.close()
  const other = await copyOf(common)
  branches = [await branchOf(common, keys, actors, 1), await branchOf(other, keys, actors, 2)]
  const gate = await LedgerSwitch.to(branches[0].chain.url)
  const database = await scratchDatabase()
  subject = { database, gate, index: await IndexProcess.start(database.url, gate.url) }
})

afterAll(async () => {
  await subject?.index.stop()
  await subject?.gate.close()
  for (const { history, index, chain, databases } of branches ?? []) {
    await history.writer.close()
    await index.stop()
    await chain.close()
    for (const database of databases) await database.drop()
  }
  await subject?.database.drop()
})

test('blocks that the ledger takes back, from one to ten of them, leave nothing behind', async () => {
  const [first] = branches
  await grow(first, 1)
  await follow(first)
  for (let depth = 1; depth <= DEEPEST; depth += 1) {
    const branch = branches[depth % 2 === 1 ? 1 : 0]
    await grow(branch, 2)
    subject.gate.turnTo(branch.chain.url)
    await follow(branch)
    const taken = await projections(subject.database.url)
    expect(taken, `seed ${SEED}: ${depth} blocks taken back`).toEqual(await projections(branch.indexUrl))
    expect(await finality(subject.database.url), `${depth} blocks taken back`).toEqual(await branch.chain.head())
  }
})

/** Both go on until the head of the branch is indexed. */
async function follow({ chain, index }: Branch): Promise<void> {
  const { height, hash } = await chain.head()
  await subject.index.reaches(height, hash)
  await index.reaches(height, hash)
}

async function grow({ chain, history }: Branch, blocks: number): Promise<void> {
  const { height } = await chain.head()
  for (let block = 0; block < blocks; block += 1) await submitRandomBlock(history, ACTIONS_OF_A_BLOCK, 'everything')
  expect((await chain.head()).height, `seed ${SEED}`).toBe(height + blocks)
}

async function branchOf(
  database: ScratchDatabase,
  keys: ReturnType<typeof randomKeys>,
  common: Actors,
  number: number,
): Promise<Branch> {
  const indexed = await scratchDatabase()
  const chain = await TestChain.open(database.url, keys)
  const writer = await LedgerWriter.connect(chain.url, keys.sudo)
  const history = { writer, actors: common.copy(new SeededRandom(SEED + number)), now: Date.now }
  const index = await IndexProcess.start(indexed.url, chain.url)
  return { chain, history, index, indexUrl: indexed.url, databases: [database, indexed] }
}

async function copyOf({ url }: ScratchDatabase): Promise<ScratchDatabase> {
  const target = await scratchDatabase()
  const [from, to] = [url, target.url].map((one) => new URL(one).pathname.slice(1))
  const client = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href })
  await client.connect()
  await client.query(`DROP DATABASE ${to}`)
  await client.query(`CREATE DATABASE ${to} TEMPLATE ${from}`)
  await client.end()
  return target
}
