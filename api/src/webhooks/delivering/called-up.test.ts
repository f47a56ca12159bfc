import { EventEmitter, once } from 'node:events'
import { expect, test } from 'vitest'
import type { Database } from '../../platform/database/database.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { openDeliveries } from '../testing.js'
import { type Claimed, claimDue } from './claim.js'
import { storeResults } from './delivery-results.js'
import { Places } from './places.js'

const open = forAllTests(() => openDeliveries())

/** The same database, whose first transaction waits between its last statement and its commit. */
function stoppedBeforeCommit(db: Database): { db: Database; reached: Promise<unknown>; goOn(): void } {
  const steps = new EventEmitter()
  const [reached, released] = ['reached', 'released'].map((name) => once(steps, name))
  const transaction: Database['transaction'] = (scope, run) =>
    db.transaction(scope, async (tx) => {
      const result = await run(tx)
      steps.emit('reached')
      await released
      return result
    })
  return { db: { ...db, transaction }, reached: Promise.resolve(reached), goOn: () => void steps.emit('released') }
}

test('an event that comes, and is put after another one, while the end of that one is stored, is called up', async () => {
  const { scratch, clock, emit, team: newTeam, receiver, hook } = open()
  const [team, { url }] = await Promise.all([newTeam(), receiver()])
  const { id } = await hook(team, url)
  const claim = async (): Promise<Claimed[]> => {
    const later = new Date(clock.now().getTime() + 60_000)
    const { taken } = await claimDue(scratch.db, new Places().free(), clock.now(), later)
    return taken.filter(({ webhook_id }) => webhook_id === id)
  }
  await emit(team, 'did:a', 1)
  const [first] = await claim()
  if (first === undefined) throw new Error('the first event is not due')
  const tried = { at: clock.now().toISOString(), ms: 1, status: 200, error: null }
  const result = { claimed: first, tried, isDelivered: true, isGone: false }
  const { db, reached, goOn } = stoppedBeforeCommit(scratch.db)
  const stored = storeResults(db, [result], clock.now(), () => 0)
  await reached
  await emit(team, 'did:a', 2)
  expect(await claim()).toEqual([])
  goOn()
  await stored
  expect((await claim()).map(({ tries }) => tries)).toEqual([0])
})
