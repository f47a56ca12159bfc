import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseWithTeam } from '../platform/testing/for-all-tests.js'
import { COUNT_AGAIN_AFTER, isUsedUp } from './automatic-registry.js'

const world = databaseWithTeam()

test('the places of a list are counted again after a thousand credentials', async () => {
  const { scratch, team } = world()
  const list = { id: `0x${'ab'.repeat(32)}`, length: 10 }
  const ctx = { db: scratch.db, scope: { teams: [team.team], actor: 'test' } } as const
  const take = (places: number) =>
    scratch.db.transaction('system', (tx) =>
      sql`insert into status_entries (registry_id, index, team_id, revocation_id)
        select ${list.id}, n, ${team.team}, '0x' || lpad(to_hex(n), 64, '0') from generate_series(1, ${places}::int) n
        on conflict do nothing`.execute(tx),
    )
  await scratch.db.transaction('system', (tx) =>
    sql`insert into revocation_registries
      (id, team_id, creator, policy, add_only, type, length, automatic, issuing, status, job_id, created)
      values (${list.id}, ${team.team}, 'did:example:issuer', '{}', false, 'StatusList2021Entry', ${list.length}, true, true,
        'active', '1', now())`.execute(tx),
  )
  await take(7)
  expect(await isUsedUp(ctx, list)).toBe(false)
  await take(8)
  for (let issued = 1; issued < COUNT_AGAIN_AFTER; issued++) expect(await isUsedUp(ctx, list)).toBe(false)
  expect(await isUsedUp(ctx, list)).toBe(true)
})
