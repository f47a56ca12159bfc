import { expect, test } from 'vitest'
import { tellExpiringKeys } from '../../accounts/keys/tell-expiring-keys.js'
import { accounts } from '../../accounts/operations.js'
import { accountsWorld, withSession } from '../../accounts/people.testing.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { data } from '../operations.js'

const world = forAllTests(() => accountsWorld({}, [accounts, data]))

const ask = async (session: string, method: string, url: string, body?: object) =>
  (await withSession(world().app, session, method, url, body)).json()
const askWithKey = async (apiKey: string, method: string, url: string, body?: object) => {
  const answer = await requestAs(world().app, { apiKey }, method, url, body)
  return { status: answer.statusCode, body: answer.json() }
}

/** A team with an owner and a colleague who joined. */
async function teamOfTwo(name: string) {
  const owner = await world().signIn(`owner@${name}.example`)
  const email = `colleague@${name}.example`
  await ask(owner.session, 'POST', `/teams/${owner.teamId}/invite`, { emails: [email] })
  const token = await world().token(email)
  const alone = await world().signIn(email)
  await ask(alone.session, 'POST', '/teams/accept-member-invite', { accept_invitation_token: token })
  const colleague = await world().signIn(email, { teamId: owner.teamId })
  return { owner, colleague }
}

test('people read the notifications of their team each by themselves, and its keys together', async () => {
  const { owner, colleague } = await teamOfTwo('readers')
  const unread = async (session: string) => (await ask(session, 'GET', '/data/notifications?read=false')).total
  const { list, total } = await ask(owner.session, 'GET', '/data/notifications')
  expect(total).toBe(1)
  expect(list).toMatchObject([
    { type: 'invitation_accepted', data: { userId: colleague.userId, role: 'member' }, read: false },
  ])
  expect(await ask(owner.session, 'POST', '/data/notifications/mark-read')).toEqual({})
  expect([await unread(owner.session), await unread(colleague.session)]).toEqual([0, 1])
  expect((await ask(owner.session, 'GET', '/data/notifications?read=true')).list).toMatchObject([{ read: true }])
  const { jwt: one } = await ask(owner.session, 'POST', '/keys', { role: 'member' })
  const { jwt: two } = await ask(owner.session, 'POST', '/keys', { role: 'member' })
  expect((await askWithKey(one, 'GET', '/data/notifications?read=false')).body.total).toBe(1)
  await askWithKey(one, 'POST', '/data/notifications/mark-read')
  expect((await askWithKey(two, 'GET', '/data/notifications?read=false')).body.total).toBe(0)
  const stranger = await world().signIn('stranger@readers.example')
  expect(await ask(stranger.session, 'GET', '/data/notifications')).toEqual({ total: 0, list: [] })
})

test('changes of people are told as they happen, and the end of a key once, a week before', async () => {
  const { owner, colleague } = await teamOfTwo('events')
  const types = async () =>
    (await ask(owner.session, 'GET', '/data/notifications')).list.map(({ type }: { type: string }) => type)
  const in5Days = new Date(Date.now() + 5 * 86_400_000).toISOString()
  const in30Days = new Date(Date.now() + 30 * 86_400_000).toISOString()
  const { key } = await ask(owner.session, 'POST', '/keys', { role: 'member', expires: in30Days })
  await ask(owner.session, 'POST', '/keys', { role: 'member', expires: in5Days })
  await tellExpiringKeys(world().environment)
  expect(await types()).toEqual(['invitation_accepted'])
  world().clock.offset = 24 * 86_400_000
  try {
    await tellExpiringKeys(world().environment)
    await tellExpiringKeys(world().environment)
  } finally {
    world().clock.offset = 0
  }
  const { list } = await ask(owner.session, 'GET', '/data/notifications')
  expect(list[0]).toMatchObject({ type: 'key_expiring', data: { key, expires: in30Days } })
  expect(await types()).toEqual(['key_expiring', 'invitation_accepted'])
  await ask(owner.session, 'POST', `/teams/${owner.teamId}/transfer`, { userId: colleague.userId })
  const next = await world().signIn(colleague.email, { teamId: owner.teamId })
  await ask(next.session, 'DELETE', `/teams/${owner.teamId}/members/${owner.userId}`)
  const told = await ask(next.session, 'GET', '/data/notifications')
  expect(told.list.slice(0, 2)).toMatchObject([
    { type: 'member_removed', data: { userId: owner.userId, keysThatStay: 2 } },
    { type: 'team_transferred', data: { from: owner.userId, to: colleague.userId } },
  ])
})

test('a profile is that of the person with a session, and that of the team with a key of an administrator', async () => {
  const { owner } = await teamOfTwo('profiles')
  expect(
    await ask(owner.session, 'PATCH', '/data/profile', { name: 'Ada', image: 'https://example.org/a.png' }),
  ).toEqual({})
  expect(await ask(owner.session, 'GET', '/data/profile')).toEqual({ name: 'Ada', image: 'https://example.org/a.png' })
  await ask(owner.session, 'PATCH', '/data/profile', { image: null })
  expect(await ask(owner.session, 'GET', '/data/profile')).toEqual({ name: 'Ada', image: '' })
  const { jwt: small } = await ask(owner.session, 'POST', '/keys', { role: 'member' })
  const { jwt: great } = await ask(owner.session, 'POST', '/keys', { role: 'administrator' })
  expect((await askWithKey(small, 'PATCH', '/data/profile', { name: 'Taken over' })).status).toBe(403)
  expect((await askWithKey(small, 'GET', '/data/profile')).body.name).toMatch(/^Team of/)
  expect((await askWithKey(great, 'PATCH', '/data/profile', { name: 'Faculty' })).status).toBe(200)
  expect((await askWithKey(small, 'GET', '/data/profile')).body).toEqual({ name: 'Faculty', image: '' })
  expect(await ask(owner.session, 'GET', '/data/profile')).toEqual({ name: 'Ada', image: '' })
})

test('answers of a sign-up are stored for their person, and no more than 16 kB', async () => {
  const { owner } = await teamOfTwo('onboarding')
  const answers = { purpose: 'Diplomas', nested: { size: [1, 2] } }
  expect(await ask(owner.session, 'POST', '/data/onboarding', { purpose: 'first' })).toEqual({ purpose: 'first' })
  expect(await ask(owner.session, 'POST', '/data/onboarding', answers)).toEqual(answers)
  const large = await withSession(world().app, owner.session, 'POST', '/data/onboarding', { text: 'x'.repeat(20_000) })
  expect(large.statusCode).toBe(413)
  const rows = await world().scratch.db.read('system', (reader) =>
    reader.selectFrom('onboarding').select('data').where('user_id', '=', owner.userId).execute(),
  )
  expect(rows).toEqual([{ data: answers }])
})
