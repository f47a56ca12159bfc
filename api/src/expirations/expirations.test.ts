import { Check } from 'typebox/schema'
import { beforeEach, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { answerOf } from '../platform/testing/answered.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { requestAs } from '../platform/testing/request-as.js'
import {
  outgoingEvents,
  serviceDatabase,
  type TestTeam,
  testEnvironment,
  testTeam,
} from '../platform/testing/scratch-database.js'
import { isWebhookEvent, WEBHOOK_EVENTS } from '../webhooks/webhook-events.js'
import '../accounts/account.tables.js'
import '../ecosystems/tables.js'
import '../status/registry.tables.js'
import './expiration.tables.js'
import { expirations } from './operations.js'
import { tellExpiring, tellFilling } from './tell-expiring.js'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (ms: number) => new Date(NOW + ms)

const world = forAllTests(async () => {
  const scratch = await serviceDatabase()
  const moved = { ms: 0 }
  const environment = testEnvironment(scratch, { clock: { now: () => at(moved.ms) } })
  const app = await buildApp(environment, [expirations])
  return {
    scratch,
    environment,
    app,
    moved,
    async close() {
      await app.close()
      await scratch.close()
    },
  }
})

let team: TestTeam
beforeEach(async () => {
  world().moved.ms = 0
  team = await testTeam(world().scratch.db)
})

let number = 0
const system: (typeof world extends () => { scratch: { db: infer Db } } ? Db : never)['transaction'] = (scope, run) =>
  world().scratch.db.transaction(scope, run)

async function key(created: Date, expires: Date | null, more: object = {}): Promise<string> {
  const id = `ak_test_${number++}`
  const row = { team_id: team.team, hash: Buffer.alloc(32, number), public_part: id, role: 'member' as const, ips: [] }
  await system('system', (tx) =>
    tx
      .insertInto('api_keys')
      .values({ ...row, alias: null, created_by: null, created, expires, ...more })
      .execute(),
  )
  return id
}

async function invitation(created: Date, expires: Date): Promise<string> {
  const id = `nonce${number++}`
  await system('system', (tx) =>
    tx
      .insertInto('participant_invitations')
      .values({ id, team_id: team.team, registry_id: '0xab', created, expires })
      .execute(),
  )
  return id
}

async function teamInvitation(sent: Date, expires: Date): Promise<string> {
  const row = { team_id: team.team, email: `g${number++}@example.org`, role: 'member' as const, invited_by: null }
  const { id } = await system('system', (tx) =>
    tx
      .insertInto('team_invitations')
      .values({ ...row, hash: Buffer.alloc(32, 100 + number), created: sent, sent, expires })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  return String(id)
}

async function told() {
  const events = await outgoingEvents(world().scratch, team.team)
  for (const { event, data } of events)
    expect([event, isWebhookEvent(event) && Check(WEBHOOK_EVENTS[event].data, data)]).toEqual([event, true])
  return events
}
const list = async (query = '', by = team) => answerOf(await requestAs(world().app, by, 'GET', `/expirations${query}`))

test('the calendar of a team has what is open, the soonest first, and nothing of another team', async () => {
  const [late, soon] = [await key(at(-DAY), at(90 * DAY)), await key(at(-DAY), at(2 * DAY))]
  const [invited, guest] = [await invitation(at(0), at(5 * DAY)), await teamInvitation(at(0), at(7 * DAY))]
  await key(at(-DAY), null)
  await key(at(-2 * DAY), at(-DAY))
  await key(at(-DAY), at(DAY), { is_temporary: true })
  await key(at(-DAY), at(DAY), { revoked: at(0) })
  const taken = await invitation(at(0), at(DAY))
  const other = await testTeam(world().scratch.db)
  await system('system', (tx) =>
    tx
      .insertInto('invitation_uses')
      .values({ nonce: taken, registry_id: '0xab', team_id: other.team, use: 'declined', job_id: null, created: at(0) })
      .execute(),
  )
  const all = [
    { kind: 'key', id: soon, expires: at(2 * DAY).toISOString() },
    { kind: 'invitation', id: invited, registryId: '0xab', expires: at(5 * DAY).toISOString() },
    { kind: 'team_invitation', id: guest, expires: at(7 * DAY).toISOString() },
    { kind: 'key', id: late, expires: at(90 * DAY).toISOString() },
  ]
  expect((await list()).body).toEqual(all)
  expect((await list('', other)).body).toEqual([])
  expect((await list('?kind=key')).body).toEqual([all[0], all[3]])
  expect((await list('?until=2026-05-06')).body).toEqual(all.slice(0, 2))
  expect((await list('?until=2026-05-06T12:00:00Z')).body).toEqual(all.slice(0, 2))
  expect((await list('?limit=1&offset=1')).body).toEqual([all[1]])
  for (const wrong of ['?until=soon', '?kind=nothing', '?til=2026-05-06']) expect((await list(wrong)).status).toBe(400)
})

test('a notice comes a week before the end, or with the last quarter of a shorter life, and once', async () => {
  const { environment, moved } = world()
  const long = await key(at(0), at(40 * DAY))
  const invited = await invitation(at(0), at(4 * DAY))
  const guest = await teamInvitation(at(0), at(8 * DAY))
  await key(at(0), at(23 * HOUR))
  const tell = async (ms: number) => {
    moved.ms = ms
    await Promise.all([tellExpiring(environment), tellExpiring(environment)])
    return (await told()).map(({ event }) => event)
  }
  expect(await tell(3 * DAY - 1)).toEqual([])
  expect(await tell(3 * DAY)).toEqual(['invitation_expiring'])
  expect(await tell(6 * DAY)).toEqual(['invitation_expiring', 'team_invitation_expiring'])
  expect(await tell(33 * DAY - 1)).toHaveLength(2)
  expect(await tell(33 * DAY)).toEqual(['invitation_expiring', 'team_invitation_expiring', 'key_expiring'])
  expect((await told()).map(({ data }) => data)).toEqual([
    { id: invited, registryId: '0xab', expires: at(4 * DAY).toISOString() },
    { id: guest, expires: at(8 * DAY).toISOString() },
    { id: long, expires: at(40 * DAY).toISOString() },
  ])
})

test('an end that was moved is told anew', async () => {
  const { environment } = world()
  const id = await key(at(-30 * DAY), at(DAY))
  await tellExpiring(environment)
  await system('system', (tx) =>
    tx
      .updateTable('api_keys')
      .set({ expires: at(2 * DAY) })
      .where('public_part', '=', id)
      .execute(),
  )
  await tellExpiring(environment)
  expect(await told()).toHaveLength(2)
})

test('a status list of which four fifths are used is told once', async () => {
  const { environment, scratch } = world()
  const id = `0x${String(number++).padStart(64, '0')}`
  const places = (from: number, to: number) =>
    system('system', (tx) =>
      tx
        .insertInto('status_entries')
        .values(
          Array.from({ length: to - from }, (_, i) => ({
            registry_id: id,
            index: from + i,
            team_id: team.team,
            revocation_id: `0x${String(i).padStart(64, '0')}`,
          })),
        )
        .execute(),
    )
  await scratch.db.transaction('system', (tx) =>
    tx
      .insertInto('revocation_registries')
      .values({
        id,
        team_id: team.team,
        creator: 'did:svc:a',
        policy: ['did:svc:a'],
        add_only: false,
        type: 'StatusList2021Entry',
        length: 10,
        automatic: false,
        issuing: false,
        closed: false,
        status: 'active',
        job_id: '1',
        created: at(0),
        purpose: 'revocation',
        ttl_seconds: 300,
        messages: null,
      })
      .execute(),
  )
  await places(0, 7)
  await tellFilling(environment)
  expect(await told()).toEqual([])
  await places(7, 8)
  await tellFilling(environment)
  await tellFilling(environment)
  expect(await told()).toEqual([{ event: 'status_list_filling', data: { id, used: 8, length: 10 } }])
})
