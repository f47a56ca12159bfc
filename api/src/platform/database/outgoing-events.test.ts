import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { systemRandom } from '../process/random.js'
import { keyDerivation } from '../security/service-key.js'
import { forgetExpired } from '../sweeps/sweep.js'
import { databaseWithTeam } from '../testing/for-all-tests.js'
import { outgoingEvents, testContext, testEnvironment, testTeam } from '../testing/scratch-database.js'
import { eventSealing } from './outgoing-events.js'

const world = databaseWithTeam()

const sealing = eventSealing(keyDerivation(Buffer.alloc(32, 7)), systemRandom)
const data = { id: 'urn:x', credential: { credentialSubject: { name: 'Zübeyde Hanım' } } }

test('an event waits sealed: the database alone does not tell what it says', async () => {
  const { scratch, team } = world()
  const { db, scope } = testContext(scratch, team)
  await db.transaction(scope, (tx) => tx.emit('credential_create', data))
  expect(await outgoingEvents(scratch, team.team)).toEqual([{ event: 'credential_create', data }])
  const rows = await db.read('system', (reader) => reader.selectFrom('outgoing_events').selectAll().execute())
  expect(rows).toHaveLength(1)
  expect(rows.map(({ sealed }) => sealed.toString('utf8')).join()).not.toMatch(/Zübeyde|urn:x|credentialSubject/)
})

test('an event opens as what it was sealed as: for its team, under its name, with its service key', async () => {
  const { scratch, team } = world()
  const row = sealing.seal({ team: team.team, event: 'credential_create', data })
  expect(JSON.parse(sealing.open(row))).toEqual(data)
  const stranger = eventSealing(keyDerivation(Buffer.alloc(32, 8)), systemRandom)
  expect(() => stranger.open(row)).toThrow()
  expect(() => sealing.open({ ...row, event: 'credential_issued' })).toThrow()
  const { team: other } = await testTeam(scratch.db)
  expect(() => sealing.open({ ...row, team_id: other })).toThrow()
})

test('rows with a time limit are deleted after it, and not a minute earlier', async () => {
  const { scratch, team } = world()
  const { db } = scratch
  const ages = ['7 days', '24 hours', '30 days']
  const aged = (minutes: number) =>
    db.transaction('system', async (tx) => {
      const [events, answers, jobs] = ages.map(
        (age) => sql`now() - ${age}::interval + make_interval(mins => ${minutes})`,
      )
      await sql`insert into service.outgoing_events (team_id, event, sealed, created)
        values (${team.team}, 'aged', '', ${events})`.execute(tx)
      await sql`insert into service.idempotency_keys (team_id, caller, key_hash, request_mac, state, leased_until, created)
        values (${team.team}, ${`key:${team.keyId}`}, ${Buffer.from([minutes + 9])}, '', 'secret', now(), ${answers})`.execute(
        tx,
      )
      await sql`insert into service.jobs (id, team_id, kind, status, created)
        values (${`job${minutes}`}, ${team.team}, 'x', 'finalized', ${jobs})`.execute(tx)
    })
  await aged(1)
  await aged(-1)
  await forgetExpired(testEnvironment(scratch))
  const left = await db.read('system', async (reader) => [
    await reader.selectFrom('outgoing_events').select('id').where('event', '=', 'aged').execute(),
    await reader.selectFrom('idempotency_keys').select('key_hash').execute(),
    await reader.selectFrom('jobs').select('id').execute(),
  ])
  expect(left).toEqual([[{ id: expect.any(Number) }], [{ key_hash: Buffer.from([10]) }], [{ id: 'job1' }]])
})
