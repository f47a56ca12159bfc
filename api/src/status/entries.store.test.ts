import { AsyncResource } from 'node:async_hooks'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { systemRandom } from '../platform/process/random.js'
import { databaseWithTeam } from '../platform/testing/for-all-tests.js'
import { bookDrawn, bookIndexes } from './entries.store.js'

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
  const bookTwo = (booking: typeof busy, from: number) =>
    another.runInAsyncScope(() =>
      scratch.db.transaction('system', (tx) =>
        bookDrawn(
          tx,
          [from, from + 1].map((index) => ({ ...booking, index, revocationId: revocationId(index) })),
        ),
      ),
    )
  let waiting: ReturnType<typeof bookTwo> | undefined
  await scratch.db.transaction('system', async (tx) => {
    await bookIndexes(tx, busy, [revocationId(100)], systemRandom)
    expect(await bookTwo(quiet, 0)).toEqual([true, true])
    waiting = bookTwo(busy, 70)
    expect(await Promise.race([waiting, untilSomebodyWaits()])).toBe('waits')
  })
  expect(await waiting).toEqual([true, true])
})
