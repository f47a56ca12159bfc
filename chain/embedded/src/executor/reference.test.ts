import '../testing/executor-log-level.js'
import { destroyWorker, emptyTaskHandler, runTask } from '@acala-network/chopsticks-core/wasm-executor/index'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../../test/support/scratch-database.js'
import { Actors } from '../../../../test/testing/random-ledger/actors.js'
import { createActors, type RandomHistory, submitRandomBlock } from '../../../../test/testing/random-ledger/history.js'
import { LedgerWriter } from '../../../../test/testing/random-ledger/ledger-writer.js'
import { questionsOfIds } from '../../../../test/testing/random-ledger/questions.js'
import { SeededRandom } from '../../../../test/testing/random-ledger/seeded-random.js'
import { randomKeys } from '../keys.js'
import { type OpenLedger, openLedger } from '../open-ledger.js'
import { artifactCode } from '../runtime/artifact.js'
import { readHeader } from '../runtime/header.js'
import type { Hex, StateChanges } from '../store/store.js'
import { ask } from '../testing/ask.js'
import { Executable, type RuntimeCall, type RuntimeOutcome, type StateView } from './executable.js'

const SEED = Number(process.env.HISTORY_SEED ?? 20_260_402)
const BLOCKS = Number(process.env.HISTORY_BLOCKS ?? 5)

/** A run of the runtime that the ledger asked for. */
interface Run {
  readonly calls: readonly RuntimeCall[]
  readonly state: StateView
  readonly outcome: RuntimeOutcome
}

let runs: Run[] = []
let scratch: ScratchDatabase
let opened: OpenLedger
let history: RandomHistory

beforeAll(async () => {
  // The real function runs; the test only listens to it.
  const run = vi.spyOn(Executable.prototype, 'run')
  const keys = randomKeys()
  scratch = await scratchDatabase()
  opened = await openLedger({ databaseUrl: scratch.url, keys })
  const writer = await LedgerWriter.connect(opened.url, keys.sudo)
  history = { writer, actors: Actors.of(new SeededRandom(SEED), writer.place), now: Date.now }
  await createActors(
    history,
    Array.from({ length: 12 }, (_, number) => `University ${number}`),
  )
  for (let block = 0; block < BLOCKS; block += 1) {
    await submitRandomBlock(history, 8, 'everything')
    // Each run costs the other executor a compilation: half of the questions after one block, the others after the
    // next.
    const questions = questionsOfIds(history.actors).filter((_, position) => position % 2 === block % 2)
    for (const question of questions) await ask(opened.ledger, question.view(undefined))
  }
  runs = run.mock.calls.flatMap(([calls, state], position) => {
    const settled = run.mock.settledResults[position]
    return settled?.type === 'fulfilled' ? [{ calls, state, outcome: settled.value }] : []
  })
  vi.restoreAllMocks()
})

afterAll(async () => {
  await history?.writer.close()
  await opened?.close()
  await scratch?.drop()
  await destroyWorker()
})

test('another executor comes to the same bytes and the same state over any history', async () => {
  const code = await artifactCode()
  for (const { calls, state, outcome } of runs) {
    const there = await reference(code, kept(calls, outcome), state)
    const what = `seed ${SEED}: ${calls.map(({ method }) => method).join(', ')}`
    expect(withoutStateRoot(calls, outcome.result), what).toBe(withoutStateRoot(calls, there.result))
    expect(sorted(outcome.changes), what).toEqual(sorted(there.changes))
  }
  const blocks = runs.filter(({ calls }) => isBlock(calls))
  const questions = runs.filter(({ calls }) => calls[0]?.method === 'RuntimeViewFunction_execute_view_function')
  expect(blocks.length).toBeGreaterThan(BLOCKS)
  expect(questions.length).toBeGreaterThan(BLOCKS)
})

test('a run that fetches each value comes to the same result as one with all in memory', async () => {
  const executable = await Executable.of(await artifactCode())
  for (const { calls, state, outcome } of runs) {
    expect(await executable.run(calls, { ...state, known: () => undefined })).toEqual(outcome)
  }
})

async function reference(code: Hex, calls: readonly RuntimeCall[], state: StateView) {
  const response = await runTask(
    {
      wasm: code,
      calls: calls.map(({ method, argument }) => [method, argument === undefined ? [] : [argument]]),
      mockSignatureHost: false,
      allowUnresolvedImports: false,
      runtimeLogLevel: 0,
    },
    {
      ...emptyTaskHandler,
      getStorage: async (key) => (await state.values([key]))[0],
      getNextKey: async (prefix, key) => (await state.keys(key, 1)).find((next) => next.startsWith(prefix)),
    },
  )
  if ('Error' in response) throw new Error(response.Error)
  // A removed entry comes as null or undefined, whatever the declared type says.
  const changes = new Map(response.Call.storageDiff.map(([key, value]) => [key, value ?? null] as const))
  return { result: response.Call.result, changes }
}

/** The state is compared without attempts that left nothing: the other executor cannot undo a call. */
function kept(calls: readonly RuntimeCall[], { attempts }: RuntimeOutcome): RuntimeCall[] {
  const results = [...attempts]
  return calls.filter(({ undoIf }) => {
    if (undoIf === undefined) return true
    const result = results.shift()
    return typeof result === 'string' && !undoIf(result)
  })
}

function isBlock(calls: readonly RuntimeCall[]): boolean {
  return calls[0]?.method === 'Core_initialize_block'
}

/** Neither executor has the whole state at hand, and each puts another value in the place of its root. */
function withoutStateRoot(calls: readonly RuntimeCall[], result: Hex): string {
  if (!isBlock(calls)) return result
  const { stateRoot: _, ...header } = readHeader(result)
  return JSON.stringify(header)
}

function sorted(changes: StateChanges): [Hex, Hex | null][] {
  return [...changes].sort(([a], [b]) => (a < b ? -1 : 1))
}
