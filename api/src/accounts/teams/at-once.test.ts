import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { data } from '../../data/operations.js'
import type { Tx } from '../../platform/database/database.js'
import { lockByName } from '../../platform/database/lock-by-name.js'
import { atOnceIn } from '../../platform/testing/at-once.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { webhooks } from '../../webhooks/operations.js'
import { accounts } from '../operations.js'
import { accountsWorld, type Person } from '../people.testing.js'
import { companies } from './company.testing.js'

const world = forAllTests(() => accountsWorld({}, [accounts, data, webhooks]))
const { ask, company, newAddress } = companies(world)

type Answer = Awaited<ReturnType<typeof ask>>

const atOnce = (
  hold: (tx: Tx) => Promise<unknown>,
  first: () => Promise<Answer>,
  second: () => Promise<Answer>,
): Promise<[Answer, Answer]> => atOnceIn(world().scratch, { hold, first, second })

/** A network gets so many links an hour. */
beforeEach(() => {
  world().clock.offset += 3_600_000
})

/** A company whose administrator has invited somebody, and has a sub-account. */
async function family() {
  const three = await company()
  const { administrator, owner, path } = three
  const { body: child } = await ask(administrator.session, 'POST', '/subaccounts', { name: 'Faculty' })
  await ask(administrator.session, 'POST', `${path}/invite`, { emails: [newAddress('open')] })
  return { ...three, child: child.id as number, team: owner.teamId, place: `${path}/members/${administrator.userId}` }
}
type Family = Awaited<ReturnType<typeof family>>

/** A thing that a person leaves behind, and that could open something. */
interface Thing {
  what: string
  make(family: Family, address: string): Promise<Answer>
  /** Stops its making in the middle. */
  hold(tx: Tx, family: Family, address: string): Promise<unknown>
}

const temporary = ({ administrator, team }: Family, more: object = {}) =>
  ask(administrator.session, 'POST', '/keys/temporary-key', { selectedTeamId: team, isTestmode: true, ...more })

const THINGS: readonly Thing[] = [
  {
    what: 'a temporary key',
    make: (family) => temporary(family),
    hold: (tx, { team }) => lockByName(tx, `service.api_keys ${team}`),
  },
  {
    what: 'a temporary key of a sub-account',
    make: (family) => temporary(family, { subaccount: family.child }),
    hold: (tx, { child }) => lockByName(tx, `service.api_keys ${child}`),
  },
  {
    what: 'a lasting key',
    make: ({ administrator }) => ask(administrator.session, 'POST', '/keys', {}),
    hold: (tx, { team }) => lockByName(tx, `service.api_keys ${team}`),
  },
  {
    what: 'a lasting key of a sub-account',
    make: ({ administrator, child }) => ask(administrator.session, 'POST', `/subaccounts/${child}/keys`, {}),
    hold: (tx, { child }) => lockByName(tx, `service.api_keys ${child}`),
  },
  {
    what: 'an invitation',
    make: ({ administrator, path }, address) =>
      ask(administrator.session, 'POST', `${path}/invite`, { emails: [address], role: 'administrator' }),
    // An address is invited once: whoever invites it too waits for the one who does.
    hold: (tx, { team }, address) =>
      sql`insert into service.team_invitations (team_id, email, role, hash, created, sent, expires)
        values (${team}, ${address}, 'member', sha256('held'), now(), now(), now())`.execute(tx),
  },
]

/** Stops whatever ends the holdings of the administrator in the middle. */
const holdInvitations = (tx: Tx, { administrator }: Family) =>
  sql`select from service.team_invitations where invited_by = ${administrator.userId} for update`.execute(tx)

/** Tells whether what was made opens something. */
async function opens(family: Family, { status, body }: Answer): Promise<boolean> {
  if (status !== 200) return false
  if (body.invitations !== undefined) {
    const pending = await ask(family.owner.session, 'GET', `${family.path}/invitations?status=pending`)
    return pending.body.some(({ id }: { id: number }) => id === body.invitations[0].id)
  }
  const apiKey = body.key?.length > 40 ? body.key : (body.jwt ?? body.token)
  return (await requestAs(world().app, { apiKey }, 'GET', '/teams')).statusCode === 200
}

test.each(THINGS)('$what that is made while its maker is removed opens nothing', async ({ make, hold }) => {
  const here = await family()
  const address = newAddress('late')
  const [made, removed] = await atOnce(
    (tx) => hold(tx, here, address),
    () => make(here, address),
    () => ask(here.owner.session, 'DELETE', `${here.place}?revokeKeys=true`),
  )
  expect([made.status, removed.status]).toEqual([200, 200])
  expect(await opens(here, made)).toBe(false)
})

test.each(THINGS)('$what is not made any more where the removal of its maker came first', async ({ make }) => {
  const here = await family()
  const [removed, made] = await atOnce(
    (tx) => holdInvitations(tx, here),
    () => ask(here.owner.session, 'DELETE', `${here.place}?revokeKeys=true`),
    () => make(here, newAddress('late')),
  )
  expect(removed.status).toBe(200)
  expect([401, 404]).toContain(made.status)
})

test.each(THINGS)('$what is not made by an administrator who becomes a member at this moment', async ({ make }) => {
  const here = await family()
  const [changed, made] = await atOnce(
    (tx) => holdInvitations(tx, here),
    () => ask(here.owner.session, 'PATCH', here.place, { role: 'member' }),
    () => make(here, newAddress('late')),
  )
  expect([changed.status, made.status]).toEqual([200, 403])
})

/** Changes that tell or take something after whoever made them has left. */
const CHANGES: readonly [what: string, make: (family: Family, apiKey: string) => Promise<Answer>][] = [
  [
    'a web hook',
    async (_family, apiKey) => {
      const body = { url: 'https://a.example/', events: [] }
      const answer = await requestAs(world().app, { apiKey }, 'POST', '/webhooks', body)
      return { status: answer.statusCode, body: answer.json() }
    },
  ],
  [
    'another limit of a sub-account',
    ({ administrator, child }) =>
      ask(administrator.session, 'PATCH', `/subaccounts/${child}`, { name: 'Faculty', monthlyLimit: null }),
  ],
  [
    'an erasure',
    ({ administrator }) => ask(administrator.session, 'POST', '/data/erasures', { subjectRef: 'urn:x:a-student' }),
  ],
]

test.each(CHANGES)('$0 is not made by somebody who is removed at this moment', async (_what, make) => {
  const here = await family()
  const { body: key } = await temporary(here)
  const [removed, made] = await atOnce(
    (tx) => holdInvitations(tx, here),
    () => ask(here.owner.session, 'DELETE', here.place),
    () => make(here, key.key),
  )
  expect(removed.status).toBe(200)
  expect([401, 404]).toContain(made.status)
})

test('a session remembered for a second gives no role to anybody once its person was removed', async () => {
  const here = await family()
  const { administrator, member, owner, path } = here
  const [removed, promoted] = await atOnce(
    (tx) => holdInvitations(tx, here),
    () => ask(owner.session, 'DELETE', here.place),
    () => ask(administrator.session, 'PATCH', `${path}/members/${member.userId}`, { role: 'administrator' }),
  )
  expect([removed.status, promoted.status]).toEqual([200, 401])
  const { body } = await ask(owner.session, 'GET', `${path}/members`)
  expect(body.map(({ role }: { role: string }) => role)).toEqual(['member', 'owner'])
})

const sessionsOf = ({ userId }: Person) =>
  world().scratch.db.read('system', (reader) =>
    reader.selectFrom('sessions').select('team_id').where('user_id', '=', userId).execute(),
  )

test('a person who is removed while going on in the team by another session is not in it', async () => {
  const here = await family()
  const { administrator, owner, team } = here
  const { session } = await world().signIn(administrator.email)
  const [removed, switched] = await atOnce(
    (tx) => holdInvitations(tx, here),
    () => ask(owner.session, 'DELETE', here.place),
    () => ask(session, 'POST', '/auth/sessions', { teamId: team }),
  )
  expect([removed.status, switched.status]).toEqual([200, 404])
})

test('a person who signs in while being removed from the only team is in a team of their own', async () => {
  const here = await family()
  const { administrator, owner, team } = here
  await world().scratch.db.transaction('system', (tx) =>
    sql`update service.teams set closed = now() where id in (
      select team_id from service.team_members where user_id = ${administrator.userId} and role = 'owner')`
      .execute(tx)
      .then(() => undefined),
  )
  const token = await world().link(administrator.email)
  const [removed, signedIn] = await atOnce(
    (tx) => holdInvitations(tx, here),
    () => ask(owner.session, 'DELETE', here.place),
    () => ask('', 'POST', '/auth/sessions', { token }),
  )
  expect([removed.status, signedIn.status, signedIn.body.role]).toEqual([200, 200, 'owner'])
  expect(signedIn.body.teamId).not.toBe(team)
})

test('a session that goes on in another team while its person signs out everywhere ends with the others', async () => {
  const { administrator, team } = await family()
  const { session } = await world().signIn(administrator.email)
  const [, left] = await atOnce(
    (tx) =>
      sql`select from service.team_members where team_id = ${team} and user_id = ${administrator.userId} for update`.execute(
        tx,
      ),
    () => ask(session, 'POST', '/auth/sessions', { teamId: team }),
    () => ask(administrator.session, 'DELETE', '/auth/sessions?all=true'),
  )
  expect(left.status).toBe(200)
  expect(await sessionsOf(administrator)).toEqual([])
})

test.each([
  ['the team', '/data/delete'],
  ['the account', '/data/accountdelete'],
])('an owner who gives the team away does not delete it at this moment with %s', async (_what, url) => {
  const { owner, administrator, path, team } = await family()
  await ask(owner.session, 'POST', `${path}/invite`, { emails: [newAddress('open')] })
  const [given, deleted] = await atOnce(
    (tx) => sql`select from service.team_invitations where invited_by = ${owner.userId} for update`.execute(tx),
    () => ask(owner.session, 'POST', `${path}/transfer`, { userId: administrator.userId }),
    () => ask(owner.session, 'POST', url, { validation: owner.email }),
  )
  expect([given.status, deleted.status]).toEqual([200, 403])
  const closed = await world().scratch.db.read('system', (reader) =>
    reader.selectFrom('teams').select('closed').where(sql<boolean>`id = ${team}`).execute(),
  )
  expect(closed).toEqual([{ closed: null }])
})

const subAccountsOf = (team: number) =>
  world().scratch.db.read('system', (reader) =>
    reader.selectFrom('teams').select('closed').where(sql<boolean>`parent_id = ${team}`).execute(),
  )

test('a sub-account that is made while its team is deleted is deleted with it', async () => {
  const { owner, team } = await family()
  const [made, deleted] = await atOnce(
    (tx) => lockByName(tx, `service.teams under ${team}`),
    () => ask(owner.session, 'POST', '/subaccounts', { name: 'Late' }),
    () => ask(owner.session, 'POST', '/data/delete', { validation: owner.email }),
  )
  expect([made.status, deleted.status]).toEqual([200, 200])
  expect((await subAccountsOf(team)).map(({ closed }) => closed)).toEqual([expect.any(Date), expect.any(Date)])
})

test('no sub-account is made in a team whose deletion came first', async () => {
  const { owner, team } = await family()
  const [deleted, made] = await atOnce(
    (tx) => sql`select from service.sessions where team_id = ${team} for update`.execute(tx),
    () => ask(owner.session, 'POST', '/data/delete', { validation: owner.email }),
    () => ask(owner.session, 'POST', '/subaccounts', { name: 'Late' }),
  )
  expect(deleted.status).toBe(200)
  expect([401, 404]).toContain(made.status)
  expect(await subAccountsOf(team)).toHaveLength(1)
})

test('a team that is deleted while a temporary key makes something in it is deleted', async () => {
  const here = await family()
  const { body: key } = await temporary(here)
  const [deleted, made] = await atOnce(
    (tx) => sql`select from service.teams where id = ${here.child} for update`.execute(tx),
    () => ask(here.owner.session, 'POST', '/data/delete', { validation: here.owner.email }),
    async () => {
      const answer = await requestAs(world().app, { apiKey: key.key }, 'POST', '/subaccounts', { name: 'Late' })
      return { status: answer.statusCode, body: answer.json() }
    },
  )
  expect([deleted.status, made.status]).toEqual([200, 401])
  expect(await subAccountsOf(here.team)).toEqual([{ closed: expect.any(Date) }])
})
