import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLog } from '../platform/log.js'
import { type ScratchDatabase, scratchDatabase, type TestTeam, testContext, testTeam } from '../platform/testing.js'
import { collectOutcomes } from './outcomes.js'
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
  scratch = await scratchDatabase()
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

/** In base58 there is no 0. */
const didOf = (name: string): string => `did:svc:${name}${String(team.team).replaceAll('0', 'z')}`

async function act(did: string, keyRef = 'ref'): Promise<string> {
  const ctx = testContext(scratch, team)
  const action = { kind: 'dispatch' as const, did, keyId: 1, keyRef, calls: [new Uint8Array([1, 2])] }
  return (await ctx.db.transaction(ctx.scope, (tx) => startJob(tx, ctx, { kind: 'test', parts: [{ did, action }] }))).id
}
const relay = () => relayActions({ db: scratch.db, signer, log })
const states = async () =>
  scratch.db.read('system', (r) =>
    r.selectFrom('ledger_actions').select(['id', 'state', 'sequence']).orderBy('created').execute(),
  )

test('what is committed reaches the signer once, in the order of its DID, and the job is in progress', async () => {
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

test('of two actions of a DID the one with the smaller number goes first, whichever transaction began first', async () => {
  const did = didOf('order')
  await act(did)
  const second = await act(did)
  await scratch.db.transaction('system', (tx) =>
    sql`update service.ledger_actions set created = now() - interval '1 minute' where job_id = ${second}`.execute(tx),
  )
  await relay()
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

test('what the outbox holds and is no action is refused alone', async () => {
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

test('without the signer everything waits in the outbox', async () => {
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
