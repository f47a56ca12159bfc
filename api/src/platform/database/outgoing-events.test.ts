import { expect, test } from 'vitest'
import { systemRandom } from '../process/random.js'
import { keyDerivation } from '../security/service-key.js'
import { databaseWithTeam } from '../testing/for-all-tests.js'
import { outgoingEvents, testContext, testTeam } from '../testing/scratch-database.js'
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
  const names = ['credential_create', 'credential_issued']
  const rows = sealing.seal({ team: team.team, event: names, data })
  expect(rows.map((row) => [row.event, JSON.parse(sealing.open(row))])).toEqual(names.map((name) => [name, data]))
  const [row] = rows
  if (row === undefined) throw new Error('it sealed nothing')
  const stranger = eventSealing(keyDerivation(Buffer.alloc(32, 8)), systemRandom)
  expect(() => stranger.open(row)).toThrow()
  expect(() => sealing.open({ ...row, event: 'credential_issued' })).toThrow()
  const { team: other } = await testTeam(scratch.db)
  expect(() => sealing.open({ ...row, team_id: other })).toThrow()
})
