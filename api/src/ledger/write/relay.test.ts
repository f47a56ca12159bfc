import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../platform/process/log.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testContext,
  testDerivation,
  testTeam,
} from '../../platform/testing/scratch-database.js'
import { collectOutcomes, openToldOutcomes } from './outcomes.js'
import { relayActions } from './relay.js'
import { type ActionState, type SignerAction, type SignerDoor, SignerRefused } from './signer-door.js'
import { startJob } from './start-job.js'

let scratch: ScratchDatabase
let team: TestTeam
const log = createLog('silent', 'test')

/** The signer's side of the door: it keeps what it accepts, wants no gaps, and refuses what a test calls bad. */
class DoorKeeper {
  readonly accepted: SignerAction[] = []
  states: ActionState[] = []
  isBad = (_action: SignerAction): boolean => false

  async submitActions(actions: SignerAction[]): Promise<{ accepted: string[] }> {
    if (actions.some(this.isBad)) throw new SignerRefused(422, 'malformed', 'The action is not valid')
    this.accepted.push(...actions)
    return { accepted: actions.map(({ id }) => id) }
  }
  actionStates = async (ids: string[]): Promise<ActionState[]> => this.states.filter(({ id }) => ids.includes(id))
  sequencesOf = (did: string): number[] =>
    this.accepted.filter((action) => action.did === did).map(({ sequence }) => sequence)
}

let keeper: DoorKeeper
let signer: Pick<SignerDoor, 'submitActions' | 'actionStates'>
beforeAll(async () => {
  scratch = await serviceDatabase()
})
afterAll(() => scratch.close())
beforeEach(async () => {
  team = await testTeam(scratch.db)
  keeper = new DoorKeeper()
  signer = {
    submitActions: (actions) => keeper.submitActions(actions),
    actionStates: (ids) => keeper.actionStates(ids),
  }
  await scratch.db.transaction('system', (tx) => sql`delete from service.jobs`.execute(tx))
})

/** The alphabet of base58 has no 0. */
const didOf = (name: string): string => `did:svc:${name}${String(team.team).replaceAll('0', 'z')}`

async function act(did: string, keyRef = 'ref', by = team): Promise<string> {
  const ctx = testContext(scratch, by)
  const action = { kind: 'dispatch' as const, did, keyId: 1, keyRef, calls: [new Uint8Array([1, 2])] }
  return (await ctx.db.transaction(ctx.scope, (tx) => startJob(tx, ctx, { kind: 'test', parts: [{ did, action }] }))).id
}
const relay = () => relayActions({ db: scratch.db, signer, log, deriveKey: testDerivation })
const states = async () =>
  scratch.db.read('system', (r) =>
    r.selectFrom('ledger_actions').select(['id', 'state', 'sequence']).orderBy('created').execute(),
  )

test('a committed action reaches the signer once, in the order of its DID, and the job is in progress', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => act(didOf(i % 2 === 0 ? 'even' : 'odd'))))
  await relay()
  await relay()
  expect(keeper.accepted).toHaveLength(20)
  for (const name of ['even', 'odd'])
    expect(keeper.sequencesOf(didOf(name)).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(keeper.accepted[0]).toMatchObject({ kind: 'dispatch', calls: ['0x0102'] })
  const jobs = await scratch.db.read('system', (r) =>
    r.selectFrom('jobs').select('status').where('id', 'in', ids).execute(),
  )
  expect(new Set(jobs.map((job) => job.status))).toEqual(new Set(['in_progress']))
})

test('the action of a DID with the smaller number goes first, whichever transaction began first', async () => {
  const did = didOf('order')
  await act(did)
  const second = await act(did)
  await scratch.db.transaction('system', (tx) =>
    sql`update service.ledger_actions set created = now() - interval '1 minute' where job_id = ${second}`.execute(tx),
  )
  await relay()
  expect(keeper.sequencesOf(did)).toEqual([0, 1])
})

test('the one action of a team is in the next batch, whatever another team has in the outbox, and their shares differ', async () => {
  const ctx = testContext(scratch, team)
  const part = (index: number) => {
    const did = didOf(`many${'x'.repeat(index)}`)
    return { did, action: { kind: 'dispatch' as const, did, keyId: 1, keyRef: 'ref', calls: [new Uint8Array([1])] } }
  }
  const parts = Array.from({ length: 700 }, (_, index) => part(index % 100))
  await ctx.db.transaction(ctx.scope, (tx) => startJob(tx, ctx, { kind: 'test', parts }))
  await relay()
  const between = keeper.accepted.length
  expect(between).toBeLessThan(parts.length / 2)
  const other = await testTeam(scratch.db)
  const did = didOf('one')
  await act(did, 'ref', other)
  const relayed = await relay()
  const batch = keeper.accepted.slice(between)
  expect(batch.map((action) => action.did)).toContain(did)
  expect(relayed.left).toBeGreaterThan(0)
  const shareOfSingle = batch.find((action) => action.did === did)?.share
  const shares = new Set(keeper.accepted.flatMap(({ share }) => share ?? []))
  expect(shares.size).toBe(2)
  expect(shares).toContain(shareOfSingle)
  for (const share of shares) expect(share).toMatch(/^[0-9a-f]{32}$/)
})

test('the actions of a team with the signer are bounded; the rest follows as those end, in the order of each DID', async () => {
  const ctx = testContext(scratch, team)
  const dids = ['even', 'odd'].map(didOf)
  const parts = Array.from({ length: 1100 }, (_, index) => {
    const did = dids[index % 2] ?? ''
    return { did, action: { kind: 'dispatch' as const, did, keyId: 1, keyRef: 'ref', calls: [new Uint8Array([1])] } }
  })
  await ctx.db.transaction(ctx.scope, (tx) => startJob(tx, ctx, { kind: 'test', parts }))
  const drain = async () => {
    while ((await relay()).moved > 0);
  }
  await drain()
  expect(keeper.accepted).toHaveLength(500)
  while (keeper.accepted.length < parts.length) {
    keeper.states = keeper.accepted.map(({ id }) => ({ id, state: 'final', outcome: {} }))
    await collectOutcomes({ db: scratch.db, signer })
    await drain()
  }
  for (const did of dids) expect(keeper.sequencesOf(did)).toEqual(Array.from({ length: 550 }, (_, index) => index))
})

test('a DID that moved to another team keeps its order, however much its first team has in the outbox', async () => {
  const did = didOf('moved')
  const other = await testTeam(scratch.db)
  for (let index = 0; index < 210; index++) await act(didOf(`before${'x'.repeat(index)}`))
  await act(did)
  await act(did, 'ref', other)
  while ((await relay()).moved > 0)
    expect(keeper.sequencesOf(did)).toEqual([0, 1].slice(0, keeper.sequencesOf(did).length))
  expect(keeper.sequencesOf(did)).toEqual([0, 1])
})

test('a transaction that rolls back leaves no gap in the sequence', async () => {
  const did = didOf('gap')
  const ctx = testContext(scratch, team)
  const part = {
    did,
    action: { kind: 'dispatch' as const, did, keyId: 1, keyRef: 'ref', calls: [new Uint8Array([1])] },
  }
  await act(did)
  const rolledBack = ctx.db.transaction(ctx.scope, async (tx) => {
    await startJob(tx, ctx, { kind: 'test', parts: [part, part] })
    throw new Error('no')
  })
  await expect(rolledBack).rejects.toThrow('no')
  await act(did)
  await relay()
  expect(keeper.sequencesOf(did)).toEqual([0, 1])
})

test('an action that the signer refuses at its door fails alone, and its number goes to the next', async () => {
  const did = didOf('bad')
  keeper.isBad = (action) => action.kind === 'dispatch' && action.keyRef === 'bad'
  await act(did)
  const bad = await act(did, 'bad')
  await act(did)
  await relay()
  const later = await act(did)
  await relay()
  expect(keeper.sequencesOf(did)).toEqual([0, 1, 2])
  expect(keeper.accepted.at(-1)?.id).toBe(`${later}-0`)
  const outcome = await scratch.db.read('system', (r) =>
    r
      .selectFrom('ledger_actions')
      .select(['state', 'outcome', 'sequence'])
      .where('job_id', '=', bad)
      .executeTakeFirstOrThrow(),
  )
  expect(outcome).toMatchObject({ state: 'included', sequence: null, outcome: { error: { name: 'malformed' } } })
})

test('an entry of the outbox that is no action is refused alone', async () => {
  const broken = await act(didOf('broken'))
  const sound = await act(didOf('sound'))
  await scratch.db.transaction('system', (tx) =>
    sql`update service.ledger_actions set action = '{"kind":"dispatch"}' where job_id = ${broken}`.execute(tx),
  )
  await relay()
  expect(new Map((await states()).map((row) => [row.id, row.state]))).toEqual(
    new Map([
      [`${broken}-0`, 'included'],
      [`${sound}-0`, 'accepted'],
    ]),
  )
})

test('everything waits in the outbox without the signer', async () => {
  await act(didOf('wait'))
  signer = { ...signer, submitActions: () => Promise.reject(new Error('unreachable')) }
  await expect(relay()).rejects.toThrow('unreachable')
  expect((await states()).map((row) => row.state)).toEqual(['pending'])
})

test('ends are stored, and what the signer has lost goes back to the outbox', async () => {
  const [done, lost, running] = [await act('did:svc:1'), await act('did:svc:2'), await act('did:svc:3')]
  await relay()
  keeper.states = [
    { id: `${done}-0`, state: 'final', outcome: { blockHeight: 4, blockHash: '0x04', encodedTx: '0xaa' } },
    { id: `${running}-0`, state: 'submitted' },
  ]
  const collect = () => collectOutcomes({ db: scratch.db, signer })
  expect(await collect()).toBe(1)
  await scratch.db.transaction('system', (tx) =>
    sql`update service.ledger_actions set created = now() - interval '1 minute'`.execute(tx),
  )
  expect(await collect()).toBe(1)
  expect(new Map((await states()).map((row) => [row.id, row.state]))).toEqual(
    new Map([
      [`${done}-0`, 'included'],
      [`${lost}-0`, 'pending'],
      [`${running}-0`, 'accepted'],
    ]),
  )
})

test('of actions that the signer told of, and of no others, it is asked', async () => {
  const [done, running] = [await act('did:svc:1'), await act('did:svc:2')]
  await relay()
  keeper.states = [
    { id: `${done}-0`, state: 'final', outcome: { blockHeight: 4, blockHash: '0x04', encodedTx: '0xaa' } },
    { id: `${running}-0`, state: 'final', outcome: { blockHeight: 4, blockHash: '0x04', encodedTx: '0xaa' } },
  ]
  expect(await collectOutcomes({ db: scratch.db, signer }, [`${done}-0`, 'of somebody else'])).toBe(1)
  expect(new Map((await states()).map((row) => [row.id, row.state]))).toEqual(
    new Map([
      [`${done}-0`, 'included'],
      [`${running}-0`, 'accepted'],
    ]),
  )
})

test('all outcomes are asked for at first, now and then, and when anything may have been missed', () => {
  const channel = 'signer_outcomes'
  const told = openToldOutcomes(60_000)
  expect(told.take()).toBe('all')
  expect(told.take()).toEqual([])
  told.hear({ channel, payload: '["a"]' })
  told.hear({ channel: 'ledger_block', payload: '7' })
  told.hear({ channel, payload: '["b","a"]' })
  expect(told.take()).toEqual(['a', 'b'])
  for (const payload of ['', '[]', '{', '[1]', undefined]) {
    told.hear({ channel, payload })
    expect(told.take(), payload).toBe('all')
  }
  told.hear(undefined)
  expect(told.take()).toBe('all')
  expect(openToldOutcomes(0).take()).toBe('all')
})
