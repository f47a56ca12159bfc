import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { institutions } from './support/ecosystem.js'
import { startTestStack, type TestStack } from './support/stack.js'
import { untilIndexed } from './support/until-indexed.js'
import { Actors } from './testing/random-ledger/actors.js'
import { AnswerComparison, type Moment } from './testing/random-ledger/answer-comparison.js'
import { someAuthorizations } from './testing/random-ledger/authorizations.js'
import { createActors, type RandomHistory, submitRandomBlock, transferAsRoot } from './testing/random-ledger/history.js'
import { LedgerWriter } from './testing/random-ledger/ledger-writer.js'
import { questionsOfIds, someFilter, someRegistry } from './testing/random-ledger/questions.js'
import { SeededRandom } from './testing/random-ledger/seeded-random.js'

const setting = (name: string, usual: number) => Number(process.env[`SOAK_ECOSYSTEM_${name}`] ?? usual)
const SEED = setting('SEED', 20_260_101)
const DAYS = setting('DAYS', 3)
const INSTITUTIONS = setting('INSTITUTIONS', 60)
const INSTANTS = setting('INSTANTS', 12)

const DAY_MS = 86_400_000
const BLOCKS_OF_A_DAY = 10
const ACTIONS_OF_A_BLOCK = Math.max(8, Math.round(INSTITUTIONS / 100))
const CREATED_AT_ONCE = 50
/** Questions about every circumstance are many: they are asked at every so-manieth instant. */
const INSTANTS_OF_AN_AUTHORIZATION = 4
/** A history is read from its beginning: it is asked for at every so-manieth instant. */
const INSTANTS_OF_A_HISTORY = 2

const REASONS = [
  'deactivated',
  'delegated',
  'delegator_suspended',
  'direct',
  'not_listed',
  'public_schema',
  'suspended',
  'unknown_registry',
  'unknown_schema',
]

let stack: TestStack
let history: RandomHistory
let blocks: Moment['block'][]
let refused = 0

/** Institutions come, are accredited, ask prices, delegate, are suspended, withdraw and are gone, day after day. */
beforeAll(async () => {
  console.log(`seed ${SEED}: ${DAYS} days of ${INSTITUTIONS} institutions, asked at ${INSTANTS} instants`)
  stack = await startTestStack()
  const { sudo } = JSON.parse(await readFile(join(stack.stateDir, 'keys', 'ledger.key'), 'utf8'))
  const writer = await LedgerWriter.connect(stack.ledgerUrl, sudo)
  let offset = 0
  const actors = Actors.of(new SeededRandom(SEED), writer.place)
  history = { actors, writer, now: () => Date.now() + offset }
  for (let day = 0; day < DAYS; day += 1) {
    for (let hour = 0; hour < BLOCKS_OF_A_DAY; hour += 1) {
      offset = day * DAY_MS + (hour * DAY_MS) / BLOCKS_OF_A_DAY
      await stack.turnClock(offset)
      if (hour === 0) await arrive(Math.ceil((INSTITUTIONS * (day + 1)) / DAYS))
      if (day === 0 && hour === 0)
        for (const actions of ['foundations', 'beginnings', 'beginnings'] as const)
          await submitRandomBlock(history, 5, actions)
      refused += (await submitRandomBlock(history, ACTIONS_OF_A_BLOCK, 'registries')).refused
    }
    await transferAsRoot(history)
  }
  blocks = await allBlocks()
  await untilIndexed(stack.databaseUrl, blocks.length - 1)
})

afterAll(async () => {
  await history?.writer.close()
  await stack?.remove()
})

test('service and ledger give the same answers at any instant of a living ecosystem', async () => {
  const { actors, writer } = history
  const { random } = actors
  const comparison = new AnswerComparison(SEED, stack.apiUrl, writer)
  for (let asked = 0; asked < INSTANTS; asked += 1) {
    const moment = someMoment(random)
    for (const question of questionsOfIds(actors)) await comparison.query(question, moment)
    // The actors know the state of the last block; at earlier ones it may differ.
    if (asked % INSTANTS_OF_AN_AUTHORIZATION === 0)
      for (const question of someAuthorizations(actors))
        for (const when of [moment, newest()]) await comparison.authorization(question, when)
    await comparison.registries(someFilter(actors), moment)
    await comparison.schemas(someRegistry(actors), someFilter(actors), moment)
    if (asked % INSTANTS_OF_A_HISTORY === 0)
      await comparison.registryFromCsv(someRegistry(actors), actors.schemas, moment)
  }
  const { asked, unanswered, found, reasons, byProtocol, fromCsv } = comparison
  console.log(
    `${asked} questions, ${unanswered} too large for the ledger, ${found} found something: ${[...reasons].sort()}; ${byProtocol} authorizations by TRQP, ${fromCsv} schemas from CSV`,
  )
  expect(unanswered).toBeLessThan(asked / 20)
  expect(found).toBeGreaterThan(2 * INSTANTS)
  expect([...reasons].sort()).toEqual(REASONS)
  expect(byProtocol).toBeGreaterThan(INSTANTS / INSTANTS_OF_AN_AUTHORIZATION)
  expect(fromCsv).toBeGreaterThan(INSTANTS / INSTANTS_OF_A_HISTORY)
})

test('an auditor folds the nonces of all DIDs from the history alone, without a gap', async () => {
  const answer = await fetch(`${stack.apiUrl}/ledger/events?event=Dispatched&order=asc`, {
    headers: { accept: 'application/x-ndjson' },
  })
  const nonces = new Map<string, number>()
  for (const line of (await answer.text()).trim().split('\n')) {
    const { actor, nonce, callHash } = JSON.parse(line)
    expect(nonce).toBe((nonces.get(actor) ?? 0) + 1)
    expect(callHash).toMatch(/^0x[0-9a-f]{64}$/)
    nonces.set(actor, nonce)
  }
  const acted = [...history.actors.byDid].filter(([, { known }]) => known.nonce > 0)
  expect(acted.length).toBeGreaterThan(0)
  expect(Object.fromEntries(acted.map(([did, { known }]) => [did, known.nonce]))).toEqual(Object.fromEntries(nonces))
})

test('the ecosystem was one: most of what was tried was done, and something of everything happened', () => {
  const { registries, byDid } = history.actors
  const actions = DAYS * BLOCKS_OF_A_DAY * ACTIONS_OF_A_BLOCK
  expect(refused).toBeGreaterThan(0)
  expect(refused).toBeLessThan(actions / 2)
  const all = [...registries.values()]
  expect([...byDid.values()].some(({ known }) => known.isDeactivated)).toBe(true)
  expect(all.some(({ suspended }) => suspended.size > 0)).toBe(true)
  expect(all.some(({ delegates }) => delegates.size > 0)).toBe(true)
})

/** Waits until there are so many. */
async function arrive(count: number): Promise<void> {
  const { byDid } = history.actors
  const names = [...institutions.values()]
  while (byDid.size < count) {
    const arriving = names.slice(byDid.size % names.length).slice(0, CREATED_AT_ONCE)
    await createActors(history, arriving.slice(0, count - byDid.size))
  }
}

/** A block by its number, or an instant: then the last block at or before it. */
function someMoment(random: SeededRandom): Moment {
  const [, first] = blocks
  const last = blocks.at(-1)
  const block = random.of(blocks)
  if (block === undefined || first === undefined || last === undefined) throw new RangeError('there are blocks')
  if (random.chance(0.5))
    return { at: String(block.height), block: block.height === 0 ? { ...block, time: first.time } : block }
  const instant = first.time + random.below(last.time - first.time + 1)
  const meant = blocks.findLast(({ time }) => time <= instant) ?? first
  return { at: new Date(instant).toISOString(), block: meant }
}

function newest(): Moment {
  const block = blocks.at(-1)
  if (block === undefined) throw new RangeError('there are blocks')
  return { at: String(block.height), block }
}

async function allBlocks(): Promise<Moment['block'][]> {
  const { writer } = history
  const all: Moment['block'][] = []
  for (let height = 0; ; height += 1) {
    const hash = await writer.ask('chain_getBlockHash', height)
    if (typeof hash !== 'string') return all
    all.push(await writer.blockAt(hash))
  }
}
