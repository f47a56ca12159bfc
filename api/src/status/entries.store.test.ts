import { AsyncResource } from 'node:async_hooks'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Random, systemRandom } from '../platform/process/random.js'
import { databaseWithTeam } from '../platform/testing/for-all-tests.js'
import { bookDrawn, bookIndexes, countEntries } from './entries.store.js'

const world = databaseWithTeam()

async function registry(digit: string) {
  const { scratch, team } = world()
  const list = { id: `0x${digit.repeat(64)}`, length: 64 }
  await scratch.db.transaction('system', (tx) =>
    sql`insert into revocation_registries
      (id, team_id, creator, policy, add_only, type, length, automatic, issuing, status, job_id, created)
      values (${list.id}, ${team.team}, 'did:example:issuer', '{}', false, 'StatusList2021Entry', ${list.length}, false, false,
        'active', '1', now())`.execute(tx),
  )
  return { registry: list, team: team.team }
}

const revocationId = (n: number) => `0x${n.toString(16).padStart(64, '0')}`

/** Resolves when somebody in the scratch database waits for a lock. */
async function untilSomebodyWaits(): Promise<'waits'> {
  const waits = () =>
    world().scratch.db.call(sql`select 1 from pg_locks join pg_stat_activity using (pid)
      where datname = current_database() and not granted`)
  while ((await waits()).length === 0);
  return 'waits'
}

test('a booking of several drawn places waits where another books round after round, and no other booking does', async () => {
  const { scratch } = world()
  const [busy, quiet] = [await registry('a'), await registry('b')]
  const another = new AsyncResource('another caller')
  const book = (booking: typeof busy, ...indexes: number[]) =>
    another.runInAsyncScope(() =>
      scratch.db.transaction('system', (tx) =>
        bookDrawn(
          tx,
          indexes.map((index) => ({ ...booking, index, revocationId: revocationId(index) })),
        ),
      ),
    )
  const bookNone = () =>
    another.runInAsyncScope(() => scratch.db.transaction('system', (tx) => bookIndexes(tx, busy, [], systemRandom)))
  let waiting: ReturnType<typeof book> | undefined
  await scratch.db.transaction('system', async (tx) => {
    await bookIndexes(tx, busy, [revocationId(100)], systemRandom)
    expect(await book(quiet, 0, 1)).toEqual([true, true])
    expect(await Promise.race([book(busy, 80), untilSomebodyWaits()])).toEqual([true])
    expect(await Promise.race([bookNone(), untilSomebodyWaits()])).toEqual(new Map())
    waiting = book(busy, 70, 71)
    expect(await Promise.race([waiting, untilSomebodyWaits()])).toBe('waits')
  })
  expect(await waiting).toEqual([true, true])
})

test('a drawn place is of one credential, and of one booking where several drew it', async () => {
  const { scratch } = world()
  const booking = await registry('c')
  const book = (...drawn: [index: number, id: number][]) =>
    scratch.db.transaction('system', (tx) =>
      bookDrawn(
        tx,
        drawn.map(([index, id]) => ({ ...booking, index, revocationId: revocationId(id) })),
      ),
    )
  expect((await book([1, 1], [1, 2])).toSorted()).toEqual([false, true])
  expect(await book([2, 3], [2, 3], [3, 4])).toEqual([true, false, true])
  expect(await book([1, 9], [4, 5])).toEqual([false, true])
  expect(await scratch.db.read('system', (reader) => countEntries(reader, booking.registry.id))).toBe(4)
})

/** Random numbers that come one after the other, and the last one again and again. */
function drawing(...numbers: number[]): Random & { times: () => number } {
  let times = 0
  const bytes = () => {
    times += 1
    return Uint8Array.of(0, 0, 0, numbers[Math.min(times, numbers.length) - 1] ?? 0)
  }
  return { ...systemRandom, bytes, times: () => times }
}

test('a place is drawn again where it was taken, for that credential alone, and a hundred times at most', async () => {
  const { scratch } = world()
  const booking = await registry('d')
  const [one, two] = [revocationId(1), revocationId(2)]
  const book = (random: Random, ...ids: string[]) =>
    scratch.db.transaction('system', (tx) => bookIndexes(tx, booking, ids, random))
  const booked = await book(drawing(5, 5, 6), one, two)
  expect([...(booked?.values() ?? [])].toSorted()).toEqual([5, 6])
  expect(await scratch.db.read('system', (reader) => countEntries(reader, booking.registry.id))).toBe(2)
  const full = drawing(5)
  expect(await book(full, revocationId(3))).toBeUndefined()
  expect(full.times()).toBe(100)
})
