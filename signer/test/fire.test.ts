import { callHash, calls } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Action, type ActionState, SignerUnavailable } from '../src/client.js'
import { bytesOf } from '../src/wire.js'
import { effects } from './effects.js'
import { type FireRange, holdFollower, openFireRange, someTime } from './fire-range.js'
import type { Step } from './gate.js'
import { act, newDid, randomHex32, settled, type TestDid, until } from './support.js'

/** `npm run soak` raises both. */
const kills = Number(process.env.SOAK_SIGNER_KILLS ?? 8)
const actionCount = Number(process.env.SOAK_SIGNER_ACTIONS ?? 100)
const didCount = 20

/** Moments at which the signer that holds the database is killed. */
const moments = [
  'queued',
  'signed',
  'submitted',
  'included',
  'final',
  'followed',
  'the ledger dies with it',
  'some time',
  'early',
  'early',
  'the ledger goes on without it',
  'the ledger dies with it, and time passes',
] as const
type Moment = (typeof moments)[number]
const momentOf = (kill: number): Moment => moments[kill % moments.length] ?? 'some time'
/** Blocks are included and not final only where finality is not instant. */
const settingsAt = (moment: Moment): Record<string, string> =>
  moment === 'included' ? { LEDGER_FINALITY: 'grandpa' } : {}

describe('two signers on one database, of which one is killed again and again', () => {
  let range: FireRange

  beforeAll(async () => {
    range = await openFireRange((kill) => settingsAt(momentOf(kill)))
  })
  afterAll(() => range.close())

  test('bring every action to effect exactly once, or refuse it once, each DID in its order', {
    timeout: 60_000 + kills * 20_000,
  }, async () => {
    await range.isHeld()
    const actors = await Promise.all(Array.from({ length: didCount }, () => newDid(range.client)))
    const actions = Array.from({ length: actionCount }, (_, index) => actionOf(actors, index))
    const given = (kill: number) => Math.floor((kill * actionCount) / kills)
    const delivered: Promise<unknown>[] = []
    for (let kill = 0; kill < kills; kill += 1) {
      const moment = momentOf(kill)
      if (moment !== 'early') {
        await range.isHeld()
        checkStates(await range.client.actionStates(actions.map(({ id }) => id)))
      }
      const batch = actions.slice(given(kill), given(kill + 1))
      await strike(moment, () => delivered.push(deliver(batch)))
    }
    await Promise.all(delivered)
    const states = await settled(
      range.client,
      actions.map(({ id }) => id),
      120_000,
    )
    checkStates([...states.values()])
    const refused = [...states.values()].filter(({ state }) => state === 'refused').map(({ id }) => id)
    expect(new Set(refused)).toEqual(new Set(actions.filter(isToBeRefused).map(({ id }) => id)))
    const { happened, refusals } = await effects(range.ledger.url)
    for (const { did } of actors) expect(happened.get(did)).toEqual(expectedOf(actions, did))
    if (kills >= moments.length) expect(refusals).toContain('Expired')
  })

  const terminal = new Map<string, ActionState>()
  /** Checks that an action, once final or refused, stays so. */
  function checkStates(states: ActionState[]) {
    for (const state of states) {
      const before = terminal.get(state.id)
      if (before !== undefined) expect(state).toEqual(before)
      if (state.state === 'final' || state.state === 'refused') terminal.set(state.id, state)
    }
  }

  /** A signer that dies loses the request: it is made again. */
  async function deliver(batch: Action[]) {
    await until(async () => {
      try {
        await range.client.submitActions(batch)
        return true
      } catch (error) {
        if (error instanceof SignerUnavailable) return false
        throw error
      }
    }, 120_000)
  }

  async function strike(moment: Moment, begin: () => void) {
    if (moment === 'queued' || moment === 'signed' || moment === 'final' || moment === 'followed') {
      await killAt(moment, begin)
    } else if (moment === 'submitted' || moment === 'included') {
      await range.demand(settingsAt(moment))
      await range.isHeld()
      await holdFollower(range)
      await killAt(moment, begin)
      await range.gate.open('followed')
    } else if (moment === 'early') {
      begin()
      await someTime(800)
      await range.killEarly()
    } else if (moment === 'some time') {
      begin()
      await someTime(300)
      await range.kill()
    } else await killUnsent(moment, begin)
  }

  async function killAt(step: Step, begin: () => void) {
    await range.gate.close(step)
    begin()
    await range.gate.isWaitedFor(step)
    await range.kill()
    await range.gate.open(step)
  }

  /** The actions are signed and stored while the ledger does not answer, so that it does not know them. */
  async function killUnsent(moment: Moment, begin: () => void) {
    const { gate, ledger, sql } = range
    await gate.close('signed')
    begin()
    await gate.isWaitedFor('signed')
    ledger.signal('SIGSTOP')
    const signed = "select 1 from signer.actions where state = 'signed' and id <> all($1) limit 1"
    const earlier = await sql.query("select id from signer.actions where state = 'signed'")
    await gate.open('signed')
    await until(async () => (await sql.query(signed, [earlier.rows.map(({ id }) => id)])).rows.length > 0)
    await range.kill()
    if (moment === 'the ledger goes on without it') {
      ledger.signal('SIGCONT')
      return
    }
    await ledger.kill()
    if (moment === 'the ledger dies with it, and time passes') range.hasten(30 * 60_000)
    await ledger.start()
  }
})

/** The first action of a DID creates it; some of the later ones the ledger refuses. */
function actionOf(actors: TestDid[], index: number): Action {
  const actor = actors[index % didCount]
  if (actor === undefined) throw new Error('no actor')
  const sequence = Math.floor(index / didCount)
  if (sequence === 0) return actor.creation
  const registryId = randomHex32()
  if (index % refusedEvery === 0) return act(actor, sequence, [calls.trustRegistry.remove({ registryId })])
  return act(actor, sequence, [calls.trustRegistry.initOrUpdate({ registryId, name: 'Kenya', govFramework: 'x' })])
}

const refusedEvery = 7
const removal = Buffer.from(calls.trustRegistry.remove({ registryId: randomHex32() })).toString('hex', 0, 2)

function isToBeRefused(action: Action): boolean {
  return action.kind === 'dispatch' && action.calls.some((call) => call.startsWith(`0x${removal}`))
}

function expectedOf(actions: Action[], did: string): string[] {
  return actions
    .filter((action) => action.did === did && !isToBeRefused(action))
    .map((action) => (action.kind === 'dispatch' ? callHash(action.calls.map(bytesOf)) : 'created'))
}
