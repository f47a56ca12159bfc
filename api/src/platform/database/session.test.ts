import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type ScratchDatabase, serviceDatabase, type TestTeam, testTeam } from '../testing/scratch-database.js'
import type { Database, Reader, Scope, TeamScope, Tx } from './database.js'
import { openDatabase } from './open-database.js'
import { servicePool } from './pool.js'
import { PreparedClient } from './prepared-statements.js'

let scratch: ScratchDatabase
let mine: TestTeam
let other: TestTeam
let db: Database
let scope: TeamScope
beforeAll(async () => {
  scratch = await serviceDatabase()
  const admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  await admin.query(`
    create table service.t_steps (team_id bigint, step int unique deferrable initially deferred, check (step >= 0));
    select service.owned('t_steps');
    grant select, insert, update, delete on service.t_steps to accredit_test_tenant, accredit_test_system`)
  await admin.end()
  ;[mine, other] = [await testTeam(scratch.db), await testTeam(scratch.db)]
  scope = { teams: [mine.team], actor: 'test' }
})
afterAll(() => scratch.close())

beforeEach(async () => {
  // One connection, so that each transaction meets what the one before it left.
  const pool = servicePool({ url: scratch.tenantUrl, max: 1, applicationName: 'test' })
  db = openDatabase(pool, pool)
  await db.transaction(scope, (tx) => sql`delete from t_steps`.execute(tx))
  return () => db.close()
})

const insert = (step: unknown, { team } = mine) => sql`insert into t_steps values (${team}, ${step})`
const defer = (tx: Tx, step: unknown, of?: TestTeam) => tx.defer({ compile: () => insert(step, of).compile(tx) })
const stepsIn = async (reader: Reader) =>
  (await sql<{ step: number }>`select step from t_steps order by step`.execute(reader)).rows.map(({ step }) => step)
const steps = () => db.read(scope, stepsIn)
/** Counts the round trips of a piece of work. */
async function roundTrips(run: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  await run()
  const { length } = query.mock.calls
  query.mockRestore()
  return length
}

const STEPS = [0, 1, 2, 3, 4]
/** The step after which a transaction waits for an answer; undefined: none. */
const WAITS = [undefined, 0, 2, 4]

async function storeSteps(tx: Tx, values: readonly unknown[], wait: number | undefined): Promise<string> {
  for (const [i, value] of values.entries()) {
    if (i === wait) await insert(value).execute(tx)
    else defer(tx, value)
  }
  return 'done'
}

test.each(WAITS)('of a transaction that waits after step %s all steps are stored', async (wait) => {
  expect(await db.transaction(scope, (tx) => storeSteps(tx, STEPS, wait))).toBe('done')
  expect(await steps()).toEqual(STEPS)
})

const FAULTS: [string, unknown, RegExp][] = [
  ['violates a constraint', -1, /check constraint/],
  ['has a value that Postgres cannot read', 'none', /invalid input syntax/],
  ['has a value that cannot be written', circular(), /circular/],
]

function circular(): object {
  const value: { self?: object } = {}
  value.self = value
  return value
}

test.each(
  FAULTS.flatMap(([what, value, error]) =>
    WAITS.flatMap((wait) => STEPS.map((step) => ({ what, value, error, wait, step }))),
  ),
)('nothing is stored when step $step $what, in a transaction that waits after step $wait', async (fault) => {
  const values = STEPS.map((step) => (step === fault.step ? fault.value : step))
  await expect(db.transaction(scope, (tx) => storeSteps(tx, values, fault.wait))).rejects.toThrow(fault.error)
  expect(await steps()).toEqual([])
  await db.transaction(scope, async (tx) => defer(tx, 7))
  expect(await steps()).toEqual([7])
})

test.each(WAITS.flatMap((wait) => STEPS.map((step) => [step, wait])))(
  'nothing is stored when the connection ends at step %s, in a transaction that waits after step %s',
  async (last, wait) => {
    const lost = db.transaction(scope, async (tx) => {
      for (const step of STEPS) {
        if (step === last) tx.defer({ compile: () => sql`select pg_terminate_backend(pg_backend_pid())`.compile(tx) })
        if (step === wait) await insert(step).execute(tx)
        else defer(tx, step)
      }
    })
    await expect(lost).rejects.toThrow(/terminat/)
    expect(await steps()).toEqual([])
  },
)

test.each(WAITS)(
  'a constraint that is checked at the commit fails a transaction that waits after step %s',
  async (wait) => {
    await expect(db.transaction(scope, (tx) => storeSteps(tx, [1, 2, 3, 4, 1], wait))).rejects.toThrow(/duplicate key/)
    expect(await steps()).toEqual([])
  },
)

test('nothing of a transaction whose begin failed is stored, also when that was caught', async () => {
  const run = vi.spyOn(PreparedClient.prototype, 'runTogether')
  onTestFinished(() => run.mockRestore())
  run.mockImplementationOnce(function (this: PreparedClient, [begin, ...rest]) {
    const failing = { ...begin, text: 'begin no', name: undefined, values: [] }
    return this.runTogether([failing, ...rest])
  })
  const caught = db.transaction(scope, async (tx) => {
    await insert(1)
      .execute(tx)
      .catch(() => undefined)
    await insert(2)
      .execute(tx)
      .catch(() => undefined)
    defer(tx, 3)
  })
  await expect(caught).rejects.toThrow(/syntax error/)
  expect(await steps()).toEqual([])
})

test('nothing is sent that was asked while a failing begin was on its way', async () => {
  const run = vi.spyOn(PreparedClient.prototype, 'runTogether')
  onTestFinished(() => run.mockRestore())
  run.mockImplementationOnce(async function (this: PreparedClient, [begin, ...rest]) {
    asked()
    await askedMore
    return this.runTogether([{ ...begin, text: 'begin no', name: undefined, values: [] }, ...rest])
  })
  let [asked, go] = [() => {}, () => {}]
  const onItsWay = new Promise<void>((resolve) => {
    asked = resolve
  })
  const askedMore = new Promise<void>((resolve) => {
    go = resolve
  })
  const outcomes: PromiseSettledResult<unknown>[] = []
  const failed = db.transaction(scope, async (tx) => {
    const first = sql`select set_config('accredit.marked', 'first', false)`.execute(tx)
    await onItsWay
    const second = sql`select set_config('accredit.marked', 'second', false)`.execute(tx)
    go()
    outcomes.push(...(await Promise.allSettled([first, second])))
  })
  await expect(failed).rejects.toThrow(/syntax error/)
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const marked = await db.read(scope, (reader) =>
    sql<{ mark: string | null }>`select nullif(current_setting('accredit.marked', true), '') as mark`.execute(reader),
  )
  expect(marked.rows).toEqual([{ mark: null }])
})

test('a connection whose transaction could not be rolled back is not lent again', async () => {
  const run = vi.spyOn(PreparedClient.prototype, 'runTogether')
  onTestFinished(() => run.mockRestore())
  const backend = async (reader: Reader) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(reader)).rows[0]?.pid
  const backends: unknown[] = []
  const left = db.transaction(scope, async (tx) => {
    backends.push(await backend(tx))
    // As when the database cancels it.
    run.mockImplementationOnce(function (this: PreparedClient) {
      return this.runTogether([{ text: 'select no_column', values: [] }])
    })
    throw new Error('no')
  })
  await expect(left).rejects.toThrow('no')
  backends.push(await db.read(scope, backend))
  expect(new Set(backends).size).toBe(2)
  expect(await steps()).toEqual([])
})

test('a transaction whose failed statement was caught is not reported as done', async () => {
  const caught = db.transaction(scope, async (tx) => {
    await insert(1).execute(tx)
    await insert(-1)
      .execute(tx)
      .catch(() => undefined)
  })
  await expect(caught).rejects.toThrow(/nothing is stored/)
  expect(await steps()).toEqual([])
})

test.each(WAITS)(
  'a required row that is not there fails a transaction that waits after step %s, with its own error',
  async (wait) => {
    const needs = (step: number) =>
      db.transaction(scope, async (tx) => {
        await storeSteps(tx, STEPS, wait)
        tx.require(sql`select from t_steps where step = ${0}`, new Error('the first one is missing'))
        tx.require(sql`update t_steps set step = 9 where step = ${step} returning step`, new Error('it is missing'))
      })
    await expect(needs(5)).rejects.toThrow('it is missing')
    expect(await steps()).toEqual([])
    await needs(4)
    expect(await steps()).toEqual([0, 1, 2, 3, 9])
  },
)

test('a transaction that throws stores nothing of what it deferred', async () => {
  for (const wait of WAITS) {
    const thrown = db.transaction(scope, async (tx) => {
      await storeSteps(tx, STEPS, wait)
      throw new Error('no')
    })
    await expect(thrown).rejects.toThrow('no')
  }
  expect(await steps()).toEqual([])
})

test('deferred statements come before those that are waited for, and a savepoint takes them back', async () => {
  await db.transaction(scope, async (tx) => {
    defer(tx, 1)
    expect(await stepsIn(tx)).toEqual([1])
    await sql`savepoint attempt`.execute(tx)
    defer(tx, 2)
    expect(await stepsIn(tx)).toEqual([1, 2])
    defer(tx, 3)
    await sql`rollback to savepoint attempt`.execute(tx)
    defer(tx, 4)
  })
  expect(await steps()).toEqual([1, 4])
})

test('work in a savepoint that fails takes nothing else with it, also where what it deferred fails', async () => {
  const deferThenThrow = (tx: Tx, step: number) =>
    tx.inSavepoint(async () => {
      defer(tx, step)
      throw new Error('no')
    })
  await db.transaction(scope, async (tx) => {
    defer(tx, 1)
    await expect(deferThenThrow(tx, 2)).rejects.toThrow('no')
    await expect(deferThenThrow(tx, -1)).rejects.toThrow('no')
    await expect(tx.inSavepoint(async () => defer(tx, -1))).rejects.toThrow(/check constraint/)
    expect(await tx.inSavepoint(() => stepsIn(tx))).toEqual([1])
    await tx.inSavepoint(async () => defer(tx, 3))
  })
  expect(await steps()).toEqual([1, 3])
})

test('a transaction of a dry run that throws leaves the others as they were, also where what it deferred fails', async () => {
  await db.dryRun(scope, async (dry) => {
    const thrown = dry.transaction(scope, async (tx) => {
      defer(tx, -1)
      throw new Error('no')
    })
    await expect(thrown).rejects.toThrow('no')
    await dry.transaction(scope, async (tx) => defer(tx, 1))
    expect(await dry.read(scope, stepsIn)).toEqual([1])
  })
  expect(await steps()).toEqual([])
})

test('another team’s rows are neither written nor read in one round trip, and no team stays on the connection', async () => {
  await scratch.db.transaction('system', (tx) => insert(9, other).execute(tx))
  const foreign = db.transaction(scope, async (tx) => {
    defer(tx, 1)
    defer(tx, 2, other)
  })
  await expect(foreign).rejects.toThrow(/row-level security/)
  expect(await Promise.all([steps(), db.read('public', stepsIn)])).toEqual([[], []])
  await db.transaction(scope, async (tx) => defer(tx, 1))
  const read = (as: Scope) => db.read(as, (reader) => Promise.all([stepsIn(reader), stepsIn(reader)]))
  expect(await read(scope)).toEqual([[1], [1]])
  expect(await read('public')).toEqual([[], []])
  expect(await read({ teams: [other.team], actor: 'test' })).toEqual([[9], [9]])
})

test('one round trip is enough for a read, for statements of one turn, and for a transaction without an answer', async () => {
  expect(await roundTrips(steps)).toBe(1)
  expect(await roundTrips(() => db.read(scope, (reader) => Promise.all([1, 2, 3].map(() => stepsIn(reader)))))).toBe(1)
  expect(await roundTrips(() => db.transaction(scope, (tx) => storeSteps(tx, STEPS, undefined)))).toBe(1)
  expect(await roundTrips(() => db.transaction(scope, (tx) => storeSteps(tx, [5, 6, 7], 1)))).toBe(2)
  expect(await roundTrips(() => db.transaction(scope, async () => undefined))).toBe(0)
})

test('every statement of a turn fails with the one among them that failed', async () => {
  const turn = (read: (reader: Reader) => Promise<unknown>) =>
    db.read(scope, (reader) => Promise.allSettled([stepsIn(reader), read(reader), stepsIn(reader)]))
  expect((await turn((reader) => sql`select no_column`.execute(reader))).map(({ status }) => status)).toEqual(
    Array(3).fill('rejected'),
  )
  expect((await turn(stepsIn)).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'))
})

test('the reader of a transaction that has ended reads nothing more', async () => {
  const kept: { reader?: Reader } = {}
  await db.transaction(scope, async (tx) => {
    kept.reader = tx
  })
  await expect(kept.reader && stepsIn(kept.reader)).rejects.toThrow(/has ended/)
})

test('audit rows that follow one another are one insert, and those after a savepoint are undone with it', async () => {
  const written = async () =>
    scratch.db.read('system', (reader) =>
      reader.selectFrom('audit').select('action').where('actor', '=', 'test').execute(),
    )
  expect(
    await roundTrips(() =>
      db.transaction(scope, async (tx) => {
        await tx.audit({ action: 'one', changes: 'nothing' })
        await tx.audit({ action: 'two', changes: 'nothing' })
        await sql`savepoint before_three`.execute(tx)
        await tx.audit({ action: 'three', changes: 'nothing' })
        await sql`rollback to savepoint before_three`.execute(tx)
        await tx.audit({ action: 'four', changes: 'nothing' })
      }),
    ),
  ).toBe(3)
  expect((await written()).map(({ action }) => action)).toEqual(['one', 'two', 'four'])
})
