import { setTimeout } from 'node:timers/promises'
import { calls, type Did, type Hex32, hex32Of, hexOf, parseDid } from '@accredit/chain'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storedDid } from '../../dids/testing.js'
import { indexedDatabase, type TestIndex, testIndex } from '../../ledger/testing/test-index.js'
import type { FailedJob } from '../../ledger/write/job-effects.js'
import { startJob } from '../../ledger/write/start-job.js'
import { json } from '../../platform/database/tables.js'
import { type ScratchDatabase, type TestTeam, testContext, testTeam } from '../../platform/testing/scratch-database.js'
import { continueRemovals } from './removal.jobs.js'

/** The error that ends a job for good. */
const FORBIDDEN = 'NotAuthorized'

const id = (byte: number): Hex32 => hex32Of(new Uint8Array(32).fill(byte))
const [registry, one, two] = [id(0xfa), id(1), id(2)]
const error = (name: string) => ({ pallet: 'TrustRegistry', name, docs: 'why' })

let scratch: ScratchDatabase
let ledger: TestIndex
let team: TestTeam
let convener: Did

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(5)
  team = await testTeam(scratch.db)
  convener = parseDid(await storedDid(scratch, team)) ?? never()
})
afterAll(async () => {
  await ledger.close()
  await scratch.close()
})
/** Makes a registry of two schemas, both in the newest block. */
beforeEach(async () => {
  await ledger.clear()
  await registryRow(null)
  for (const schema of [one, two]) await schemaRow(schema)
})

function never(): never {
  throw new TypeError('a DID was made')
}

const registryRow = (removed: number | null) =>
  ledger.row('trust_registry', {
    registry_id: registry,
    convener,
    pending_convener: null,
    name: 'Registry',
    gov_framework: '',
    version: 1,
    from_block: 1,
    to_block: removed,
  })
const schemaRow = (schema: Hex32, [from, to]: [number, number | null] = [5, null]) =>
  ledger.row('registry_schema', {
    registry_id: registry,
    schema_id: schema,
    is_public: false,
    from_block: from,
    to_block: to,
  })

interface Failure {
  /** The error of each part; undefined: it was done. */
  errors?: (string | undefined)[]
  data?: Record<string, string | number>
  by?: string
  subject?: string | null
}

/** Removals that do not go on while anything is left: by their rounds, their refusal, or since their key is elsewhere. */
const UNABLE: readonly Failure[] = [{ data: { round: 10 } }, { errors: [FORBIDDEN] }, { by: 'did:svc:elsewhere' }]

/** Makes a removal whose parts were refused. */
async function failed({ errors = ['TooManyChanges'], data = {}, by = convener, subject = registry }: Failure = {}) {
  const ctx = testContext(scratch, team)
  const outcomes = errors.map((name) => (name === undefined ? {} : { error: error(name) }))
  const job = await ctx.db.transaction(ctx.scope, async (tx) => {
    const action = { kind: 'dispatch' as const, did: by, keyId: 1, keyRef: 'ref', calls: [] }
    const started = await startJob(tx, ctx, {
      kind: 'removal',
      data,
      parts: errors.map(() => ({ did: by, action })),
    })
    for (const [part, outcome] of outcomes.entries())
      await tx
        .updateTable('ledger_actions')
        .set({ state: 'error' in outcome ? 'refused' : 'done', outcome: json(outcome) })
        .where('id', '=', `${started.id}-${part}`)
        .execute()
    return started
  })
  const parts = outcomes.map((outcome, part) => ({ did: by, part, outcome }))
  const told = { type: 'TooManyChanges', message: 'why' }
  const made: FailedJob = {
    ...job,
    team: team.team,
    kind: 'removal',
    trace: null,
    subject,
    data,
    parts,
    block: undefined,
    error: told,
  }
  return made
}

/** Ends what waits as a step of the follower does after a while. */
const refuseAgain = ({ id: job }: FailedJob) =>
  scratch.db.transaction('system', (tx) =>
    tx
      .updateTable('ledger_actions')
      .set({ state: 'refused' })
      .where('job_id', '=', job)
      .where('state', '=', 'included')
      .where('retry_at', 'is not', null)
      .execute(),
  )

const goOn = async (...jobs: FailedJob[]) => [
  ...(await scratch.db.transaction('system', (tx) => continueRemovals(tx, jobs))),
]

/** Returns the stored actions of a job, and its data. */
async function stored(job: FailedJob) {
  const actions = await scratch.db.read('system', (reader) =>
    reader
      .selectFrom('ledger_actions')
      .select(['state', 'action', 'outcome'])
      .where('job_id', '=', job.id)
      .orderBy('part')
      .execute(),
  )
  const { data } = await scratch.db.read('system', (reader) =>
    reader.selectFrom('jobs').select('data').where('id', '=', job.id).executeTakeFirstOrThrow(),
  )
  return {
    states: actions.map(({ state }) => state),
    calls: actions.flatMap(({ action }) => action.calls ?? []),
    replaced: actions.map(({ outcome }) => outcome?.replaced),
    data,
  }
}

const discard = (...schemas: Hex32[]) =>
  hexOf(
    calls.trustRegistry.setSchemasMetadata({
      registryId: registry,
      update: { Modify: new Map(schemas.map((schema) => [schema, 'Discard' as const])) },
    }),
  )
const remove = hexOf(calls.trustRegistry.remove({ registryId: registry }))

test.each(['TooManyChanges', 'SchemasLeft', 'NotFound'])(
  'a removal with parts refused as %s goes on with the rest',
  async (name) => {
    const job = await failed({ errors: [undefined, name] })
    expect(await goOn(job)).toEqual([job.id])
    expect(await stored(job)).toEqual({
      states: ['done', 'done', 'pending', 'pending'],
      calls: [discard(one, two), remove],
      replaced: [undefined, error(name), undefined, undefined],
      data: { round: 1 },
    })
  },
)

test('the removal of one schema is resumed for that schema only', async () => {
  const job = await failed({ data: { schema: two } })
  expect(await goOn(job)).toEqual([job.id])
  expect(await stored(job)).toMatchObject({ calls: [discard(two)], data: { schema: two, round: 1 } })
})

test('it ends as done where nothing is left', async () => {
  const job = await failed({ data: { schema: id(3) } })
  expect(await goOn(job)).toEqual([job.id])
  expect(await stored(job)).toMatchObject({ states: ['included'], calls: [], replaced: [error('TooManyChanges')] })
})

describe('a loss in a block of somebody else that is not final', () => {
  /** Lists both schemas from block 2 to 5, the newest one; block 4 is the final one. */
  beforeEach(async () => {
    await ledger.clear()
    await ledger.finality({ height: 4, rule: 'grandpa' })
    for (const schema of [one, two]) await schemaRow(schema, [2, 5])
  })
  afterEach(() => ledger.finality({ height: 5, rule: 'instant' }))
  const waits = { states: ['done', 'included'], calls: [], replaced: [undefined, undefined], data: { schema: two } }

  test('leaves the removal of a schema waiting, which ends as done once it is final', async () => {
    await registryRow(null)
    const job = await failed({ errors: [undefined, 'NotFound'], data: { schema: two } })
    expect(await goOn(job)).toEqual([job.id])
    expect(await stored(job)).toEqual(waits)
    await refuseAgain(job)
    await ledger.finality({ height: 5, rule: 'grandpa' })
    expect(await goOn(job)).toEqual([job.id])
    expect(await stored(job)).toMatchObject({ states: ['done', 'included'], replaced: [undefined, error('NotFound')] })
  })

  test('leaves a removal waiting that could not go on, whatever the refusal, the round and the keys here', async () => {
    await registryRow(5)
    for (const failure of UNABLE)
      for (const schema of [{}, { schema: two }]) {
        const job = await failed({ ...failure, data: { ...failure.data, ...schema } })
        expect(await goOn(job)).toEqual([job.id])
        expect(await stored(job)).toMatchObject({ states: ['included'], calls: [], replaced: [undefined] })
      }
  })

  test('is carried out by the removal itself where that block is given up', async () => {
    await registryRow(null)
    const job = await failed({ errors: [undefined, 'NotFound'], data: { schema: two } })
    await goOn(job)
    await refuseAgain(job)
    await ledger.clear()
    await registryRow(null)
    for (const schema of [one, two]) await schemaRow(schema, [2, null])
    expect(await goOn(job)).toEqual([job.id])
    expect(await stored(job)).toMatchObject({ states: ['done', 'done', 'pending'], calls: [discard(two)] })
  })

  test('leaves the removal of a registry waiting, and costs none of its rounds', async () => {
    await registryRow(5)
    const job = await failed({ errors: [undefined, 'NotFound'], data: { round: 9 } })
    expect(await goOn(job)).toEqual([job.id])
    expect(await stored(job)).toEqual({ ...waits, data: { round: 9 } })
    await refuseAgain(job)
    await ledger.finality({ height: 5, rule: 'grandpa' })
    expect(await goOn(job)).toEqual([job.id])
    expect(await stored(job)).toMatchObject({ states: ['done', 'included'], replaced: [undefined, error('NotFound')] })
  })
})

test('a registry that somebody else removed is removed, whatever the refusal was', async () => {
  await ledger.clear()
  await registryRow(3)
  const job = await failed({ errors: [FORBIDDEN], data: { round: 10 } })
  expect(await goOn(job)).toEqual([job.id])
  expect(await stored(job)).toMatchObject({ states: ['included'], calls: [], data: { round: 10 } })
})

test('a schema that somebody else took away is removed, whatever the refusal, the round and the keys here', async () => {
  await ledger.clear()
  await registryRow(null)
  await schemaRow(one, [2, 3])
  for (const failure of UNABLE) {
    const job = await failed({ ...failure, data: { ...failure.data, schema: one } })
    expect(await goOn(job)).toEqual([job.id])
    expect(await stored(job)).toMatchObject({ states: ['included'], calls: [] })
  }
})

test('it goes on ten times, and not once more', async () => {
  const [last, over] = [await failed({ data: { round: 9 } }), await failed({ data: { round: 10 } })]
  expect(await goOn(last, over)).toEqual([last.id])
  expect((await stored(last)).data).toEqual({ round: 10 })
  expect(await stored(over)).toMatchObject({ states: ['refused'], data: { round: 10 } })
})

test('a removal ends at any other refusal, without a key of its convener, and without a registry', async () => {
  const ending = [
    await failed({ errors: ['TooManyChanges', FORBIDDEN] }),
    await failed({ by: 'did:svc:elsewhere' }),
    await failed({ subject: null }),
    await failed({ errors: [] }),
  ]
  expect(await goOn(...ending)).toEqual([])
  expect(await Promise.all(ending.map(async (job) => (await stored(job)).states))).toEqual([
    ['refused', 'refused'],
    ['refused'],
    ['refused'],
    [],
  ])
})

test('a removal that ends reads nothing of whom the registry lists, however many', async () => {
  const other = new pg.Client({ connectionString: scratch.adminUrl })
  await other.connect()
  await other.query('begin; lock table ledger.verifier in access exclusive mode')
  const jobs: FailedJob[] = []
  for (const failure of UNABLE)
    for (const schema of [{}, { schema: two }])
      jobs.push(await failed({ ...failure, data: { ...failure.data, ...schema } }))
  const going = goOn(...jobs)
  try {
    expect(await Promise.race([going, setTimeout(5_000, 'it waits for the list')])).toEqual([])
  } finally {
    await other.end()
    await going
  }
})
