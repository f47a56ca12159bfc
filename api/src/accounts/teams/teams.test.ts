import { setTimeout } from 'node:timers/promises'
import { Check } from 'typebox/schema'
import { expect, test } from 'vitest'
import { BRIEFLY_MS } from '../../platform/process/brief-memory.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { outgoingEvents, type TestTeam } from '../../platform/testing/scratch-database.js'
import { isWebhookEvent, WEBHOOK_EVENTS } from '../../webhooks/webhook-events.js'
import { accountsWorld, everything, type Person, withSession } from '../people.testing.js'
import { companies } from './company.testing.js'

const world = forAllTests(() => accountsWorld())
const DAY_MS = 86_400_000

const { ask, company, newAddress } = companies(world)

test('a company of three people has the roles that it gave, and its web hooks are told of each change', async () => {
  const { owner, administrator, member, path } = await company()
  const { body } = await ask(member.session, 'GET', `${path}/members`)
  expect(body.map(({ id, role }: { id: number; role: string }) => [id, role])).toEqual([
    [member.userId, 'member'],
    [administrator.userId, 'administrator'],
    [owner.userId, 'owner'],
  ])
  const invitations = await ask(administrator.session, 'GET', `${path}/invitations?status=accepted`)
  expect(invitations.body.map(({ email }: { email: string }) => email)).toEqual([member.email, administrator.email])
  await ask(owner.session, 'PATCH', `${path}/members/${member.userId}`, { role: 'administrator' })
  await ask(owner.session, 'PATCH', `${path}/members/${member.userId}`, { role: 'administrator' })
  await ask(owner.session, 'DELETE', `${path}/members/${member.userId}`)
  await ask(owner.session, 'POST', `${path}/transfer`, { userId: administrator.userId })
  const events = await outgoingEvents(world().scratch, owner.teamId as TestTeam['team'])
  expect(events.every(({ event, data }) => isWebhookEvent(event) && Check(WEBHOOK_EVENTS[event].data, data))).toBe(true)
  expect(events.map(({ event, data }) => [event, data.memberId ?? data.id, data.role, data.formerRole])).toEqual([
    ['team_invitation_accept', administrator.userId, 'administrator', undefined],
    ['team_member_create', administrator.userId, 'administrator', undefined],
    ['team_invitation_accept', member.userId, 'member', undefined],
    ['team_member_create', member.userId, 'member', undefined],
    ['team_member_update', member.userId, 'administrator', 'member'],
    ['team_member_delete', member.userId, 'administrator', undefined],
    ['team_member_update', owner.userId, 'administrator', 'owner'],
    ['team_member_update', administrator.userId, 'owner', 'administrator'],
  ])
  for (const { email } of [member, administrator]) expect(JSON.stringify(events)).not.toContain(email)
})

test('an invitation is for the invited address alone, and is accepted once', async () => {
  const { owner, path } = await company()
  const email = newAddress('guest')
  await ask(owner.session, 'POST', `${path}/invite`, { emails: [email.toUpperCase()] })
  const accept_invitation_token = await world().token(email)
  const accept = (session: string) => ask(session, 'POST', '/teams/accept-member-invite', { accept_invitation_token })
  const thief = await world().signIn(newAddress('thief'))
  expect(await accept(thief.session)).toMatchObject({ status: 403, body: { type: 'forbidden' } })
  const guest = await world().signIn(email)
  expect((await accept(guest.session)).status).toBe(200)
  expect(await accept(guest.session)).toMatchObject({
    status: 400,
    body: { type: 'invite_token_used', message: 'The invitation was accepted already' },
  })
  expect((await accept(thief.session)).status).toBe(403)
  const guessed = { accept_invitation_token: `ot_test_${'0'.repeat(64)}` }
  expect((await ask(thief.session, 'POST', '/teams/accept-member-invite', guessed)).status).toBe(404)
})

test('an invitation is sent again once a day, also when it was over, and only the last mail works', async () => {
  const { owner, path } = await company()
  const email = newAddress('slow')
  const { body } = await ask(owner.session, 'POST', `${path}/invite`, { emails: [email] })
  const [{ id }] = body.invitations
  const first = await world().token(email)
  expect((await ask(owner.session, 'POST', `${path}/invitations/${id}/resend`)).body).toMatchObject({
    status: 400,
    type: 'resend_too_soon',
  })
  world().clock.offset += 8 * DAY_MS
  const later = await world().signIn(owner.email)
  const guest = await world().signIn(email)
  const accept = async (token: string) =>
    ask(guest.session, 'POST', '/teams/accept-member-invite', { accept_invitation_token: token })
  expect((await accept(first)).body.type).toBe('invite_token_expired')
  expect(await ask(later.session, 'POST', `${path}/invitations/${id}/resend`)).toEqual({
    status: 200,
    body: { code: 200 },
  })
  const second = await world().token(email)
  expect((await accept(first)).status).toBe(404)
  expect((await accept(second)).status).toBe(200)
})

test('a canceled invitation lets nobody in, and is neither canceled nor sent again', async () => {
  const { owner, path } = await company()
  const email = newAddress('unwanted')
  const { body } = await ask(owner.session, 'POST', `${path}/invite`, { emails: [email] })
  const [{ id }] = body.invitations
  const token = await world().token(email)
  expect((await ask(owner.session, 'POST', `${path}/invitations/${id}/cancel`)).body).toEqual({ code: 200 })
  const { session } = await world().signIn(email)
  const accepted = await ask(session, 'POST', '/teams/accept-member-invite', { accept_invitation_token: token })
  expect(accepted.body.type).toBe('invite_token_expired')
  for (const what of ['cancel', 'resend'])
    expect((await ask(owner.session, 'POST', `${path}/invitations/${id}/${what}`)).status).toBe(409)
})

test('an address that is invited, or a member, already is not invited again, and then nobody is', async () => {
  const { owner, member, path } = await company()
  const [email, other] = [newAddress('twice'), newAddress('other')]
  await ask(owner.session, 'POST', `${path}/invite`, { emails: [email] })
  for (const known of [email, member.email])
    expect((await ask(owner.session, 'POST', `${path}/invite`, { emails: [other, known] })).status).toBe(409)
  const { body } = await ask(owner.session, 'GET', `${path}/invitations?status=pending`)
  expect(body.map((one: { email: string }) => one.email)).toEqual([email])
})

test('no invitation, and no change of a role, makes an owner', async () => {
  const { owner, administrator, member, path } = await company()
  const invite = { emails: [newAddress('king')], role: 'owner' }
  expect((await ask(owner.session, 'POST', `${path}/invite`, invite)).status).toBe(400)
  expect((await ask(owner.session, 'PATCH', `${path}/members/${member.userId}`, { role: 'owner' })).status).toBe(400)
  expect(
    (await ask(member.session, 'PATCH', `${path}/members/${member.userId}`, { role: 'administrator' })).status,
  ).toBe(403)
  const demotion = await ask(administrator.session, 'PATCH', `${path}/members/${owner.userId}`, { role: 'member' })
  expect([demotion.status, demotion.body.type]).toEqual([409, 'conflict'])
})

test('an invitation by a person who was removed, or became a member, lets nobody in', async () => {
  for (const isRemoved of [true, false]) {
    const { owner, administrator, path } = await company()
    const email = newAddress('backdoor')
    await ask(administrator.session, 'POST', `${path}/invite`, { emails: [email], role: 'administrator' })
    const accept_invitation_token = await world().token(email)
    const place = `${path}/members/${administrator.userId}`
    const ended = isRemoved
      ? await ask(owner.session, 'DELETE', place)
      : await ask(owner.session, 'PATCH', place, { role: 'member' })
    expect(ended.status).toBe(200)
    const { session } = await world().signIn(email)
    const accepted = await ask(session, 'POST', '/teams/accept-member-invite', { accept_invitation_token })
    expect(accepted.body.type).toBe('invite_token_expired')
  }
})

test("a removed person's session and temporary keys open nothing a second later, and the team's keys stay until they are revoked", async () => {
  const { owner, administrator, path } = await company()
  const { app, replicas } = world()
  const kept = (await ask(administrator.session, 'POST', '/keys', { alias: 'Server' })).body
  const { body: child } = await ask(administrator.session, 'POST', '/subaccounts', { name: 'Faculty' })
  const temporary = await Promise.all(
    [{}, { subaccount: child.id }].map(async (more) => {
      const wanted = { selectedTeamId: owner.teamId, isTestmode: true, ...more }
      return (await ask(administrator.session, 'POST', '/keys/temporary-key', wanted)).body.key
    }),
  )
  const statuses = (key: string) =>
    Promise.all(replicas.map(async (one) => (await requestAs(one, { apiKey: key }, 'GET', '/teams')).statusCode))
  for (const key of [...temporary, kept.jwt]) expect(await statuses(key)).toEqual([200, 200])
  const removed = await ask(owner.session, 'DELETE', `${path}/members/${administrator.userId}`)
  expect(removed.status).toBe(200)
  expect(removed.body.keys.map(({ key }: { key: string }) => key)).toEqual([kept.key])
  await setTimeout(BRIEFLY_MS)
  for (const key of temporary) expect(await statuses(key)).toEqual([401, 401])
  expect((await withSession(app, administrator.session, 'GET', path)).statusCode).toBe(401)
  expect(await statuses(kept.jwt)).toEqual([200, 200])
  // Going on in the team by a session of an own one does not work either.
  const { session } = await world().signIn(administrator.email)
  expect((await ask(session, 'POST', '/auth/sessions', { teamId: owner.teamId })).status).toBe(404)
})

test('with revokeKeys the keys that the person made end too, but for those with a greater role than the caller', async () => {
  const { owner, administrator, member, path } = await company()
  await ask(owner.session, 'PATCH', `${path}/members/${member.userId}`, { role: 'administrator' })
  const key = (await ask(member.session, 'POST', '/keys', { alias: 'Mine' })).body
  const { scratch } = world()
  const great = (await ask(owner.session, 'POST', '/keys', { role: 'owner' })).body
  await scratch.db.transaction('system', (tx) =>
    tx.updateTable('api_keys').set({ created_by: member.userId }).where('public_part', '=', great.key).execute(),
  )
  const removed = await ask(administrator.session, 'DELETE', `${path}/members/${member.userId}?revokeKeys=true`)
  expect(removed.body.keys.map((one: { key: string }) => one.key)).toEqual([great.key])
  const left = (await ask(owner.session, 'GET', '/keys')).body.map((one: { key: string }) => one.key)
  expect(left).toContain(great.key)
  expect(left).not.toContain(key.key)
})

test('a smaller role holds a second later in a session, and ends the temporary keys of the greater one', async () => {
  const { owner, administrator, path } = await company()
  const wanted = { selectedTeamId: owner.teamId, isTestmode: true }
  const { key } = (await ask(administrator.session, 'POST', '/keys/temporary-key', wanted)).body
  expect((await ask(administrator.session, 'GET', '/keys')).status).toBe(200)
  await ask(owner.session, 'PATCH', `${path}/members/${administrator.userId}`, { role: 'member' })
  await setTimeout(BRIEFLY_MS)
  expect((await ask(administrator.session, 'GET', '/keys')).status).toBe(403)
  expect((await requestAs(world().app, { apiKey: key }, 'GET', '/teams')).statusCode).toBe(401)
})

test('an owner is not removed, not even by the owner, and a member removes nobody', async () => {
  const { owner, administrator, member, path } = await company()
  for (const { session } of [owner, administrator])
    expect((await ask(session, 'DELETE', `${path}/members/${owner.userId}`)).body.type).toBe('conflict')
  for (const { userId } of [owner, administrator, member])
    expect((await ask(member.session, 'DELETE', `${path}/members/${userId}`)).status).toBe(403)
  expect((await ask(owner.session, 'DELETE', `${path}/members/999999`)).status).toBe(404)
  expect((await ask(owner.session, 'GET', `${path}/members`)).body).toHaveLength(3)
})

test('a team goes over to another of its people, and has one owner all the while', async () => {
  const { owner, administrator, member, path } = await company()
  const { key, jwt } = (await ask(owner.session, 'POST', '/keys', { role: 'owner' })).body
  const stranger = await world().signIn(newAddress('stranger'))
  expect((await ask(owner.session, 'POST', `${path}/transfer`, { userId: stranger.userId })).status).toBe(404)
  expect((await ask(administrator.session, 'POST', `${path}/transfer`, { userId: administrator.userId })).status).toBe(
    403,
  )
  const given = await ask(owner.session, 'POST', `${path}/transfer`, { userId: member.userId })
  expect(given).toMatchObject({ status: 200, body: { team_owner_id: member.userId, keys: [{ key }] } })
  await setTimeout(BRIEFLY_MS)
  expect((await ask(owner.session, 'POST', `${path}/transfer`, { userId: owner.userId })).status).toBe(403)
  const back = await ask(member.session, 'POST', `${path}/transfer`, { userId: owner.userId, revokeKeys: true })
  expect(back.body).toMatchObject({ team_owner_id: owner.userId, keys: [] })
  await setTimeout(BRIEFLY_MS)
  expect((await requestAs(world().app, { apiKey: jwt }, 'GET', '/teams')).statusCode).toBe(401)
  const { body } = await ask(owner.session, 'GET', `${path}/members`)
  expect(body.filter(({ role }: { role: string }) => role === 'owner')).toHaveLength(1)
})

test('two transfers at once end with one owner', async () => {
  const { owner, administrator, member, path } = await company()
  const answers = await Promise.all(
    [administrator, member].map(({ userId }) => ask(owner.session, 'POST', `${path}/transfer`, { userId })),
  )
  expect(answers.some(({ status }) => status === 200)).toBe(true)
  for (const { status } of answers) expect(status).toBeLessThan(500)
  const { body } = await ask(owner.session, 'GET', `${path}/members`)
  expect(body.filter(({ role }: { role: string }) => role === 'owner')).toHaveLength(1)
})

test('a person sees the teams that they are in, and no other', async () => {
  const { owner, member } = await company()
  const ids = async ({ session }: Person) =>
    (await ask(session, 'GET', '/teams')).body.map(({ id }: { id: number }) => id)
  expect(await ids(member)).toHaveLength(2)
  expect(await ids(member)).toContain(owner.teamId)
  expect(await ids(owner)).toEqual([owner.teamId])
})

test("everything of another company's team is missing for its people, and nothing changes", async () => {
  const [mine, other] = [await company(), await company()]
  const { body } = await ask(mine.owner.session, 'POST', `${mine.path}/invite`, { emails: [newAddress('open')] })
  const [{ id }] = body.invitations
  const tries: [string, string, object?][] = [
    ['GET', ''],
    ['PATCH', '', { name: 'Taken' }],
    ['POST', '/transfer', { userId: other.owner.userId }],
    ['GET', '/members'],
    ['PATCH', `/members/${mine.member.userId}`, { role: 'administrator' }],
    ['DELETE', `/members/${mine.member.userId}`],
    ['POST', '/invite', { emails: [other.owner.email] }],
    ['GET', '/invitations'],
    ['POST', `/invitations/${id}/resend`],
    ['POST', `/invitations/${id}/cancel`],
    ['GET', '/audit'],
  ]
  const before = await everything(world().scratch)
  for (const [method, rest, content] of tries) {
    const theirs = await ask(other.owner.session, method, `${mine.path}${rest}`, content)
    const missing = await ask(other.owner.session, method, `/teams/999999${rest}`, content)
    expect([method, rest, theirs.status]).toEqual([method, rest, 404])
    expect(theirs.body).toEqual(missing.body)
    // Nor is it reached through the other's own team.
    if (/members\/|invitations\//.test(rest))
      expect((await ask(other.owner.session, method, `${other.path}${rest}`, content)).status).toBe(404)
  }
  expect(await everything(world().scratch)).toEqual(before)
})

test('the mail of an invitation holds no link but ours, whatever the name of the team is', async () => {
  const { owner, path } = await company()
  await ask(owner.session, 'PATCH', path, { name: 'Win at https://evil.example/now <b>' })
  const email = newAddress('careful')
  await ask(owner.session, 'POST', `${path}/invite`, { emails: [email] })
  await world().token(email)
  const { text = '' } = world().smtp.mails.findLast(({ to }) => to.includes(email)) ?? {}
  expect(text.match(/https?:\/\/\S+/g)).toHaveLength(1)
  expect(text).not.toMatch(/evil\.example|<b>/)
})

test('a retry in a session with the same Idempotency-Key is answered by the first answer, and does nothing', async () => {
  const { owner } = await company()
  const make = () =>
    withSession(world().app, owner.session, 'POST', '/teams', { name: 'Once' }, { 'idempotency-key': 'one' })
  const [first, again] = [await make(), await make()]
  expect([again.statusCode, again.json(), again.headers['idempotency-replayed']]).toEqual([200, first.json(), 'true'])
  expect((await ask(owner.session, 'GET', '/teams')).body).toHaveLength(2)
})

test('a session opens nothing that is for keys, and a key and a session together open nothing', async () => {
  const { owner } = await company()
  const { jwt } = (await ask(owner.session, 'POST', '/keys')).body
  const both = await requestAs(world().app, { apiKey: jwt }, 'GET', '/teams', undefined, {
    'svc-web-token': owner.session,
  })
  expect(both.json()).toMatchObject({ status: 401, type: 'unauthorized' })
  const wanted = { selectedTeamId: owner.teamId, isTestmode: true }
  expect((await requestAs(world().app, { apiKey: jwt }, 'POST', '/keys/temporary-key', wanted)).statusCode).toBe(401)
  expect((await ask(owner.session, 'POST', '/keys/temporary-key', { ...wanted, isTestmode: false })).status).toBe(400)
})
