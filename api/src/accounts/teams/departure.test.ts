import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BRIEFLY_MS } from '../../platform/process/brief-memory.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { accountsWorld } from '../people.testing.js'
import { companies } from './company.testing.js'

const world = forAllTests(() => accountsWorld())
const { ask, company } = companies(world)

const asKey = async (apiKey: string, method: string, url: string, body?: object) => {
  const answer = await requestAs(world().app, { apiKey }, method, url, body)
  return { status: answer.statusCode, body: answer.json() }
}
const open = async (apiKey: string) => (await asKey(apiKey, 'GET', '/teams')).status

async function temporaryKey(session: string, teamId: number, more: object = {}): Promise<string> {
  const wanted = { selectedTeamId: teamId, isTestmode: true, ...more }
  return (await ask(session, 'POST', '/keys/temporary-key', wanted)).body.key
}

/** A company with a sub-account, and a lasting key in each, which its administrator made. */
async function family() {
  const three = await company()
  const { session } = three.administrator
  const { body: child } = await ask(session, 'POST', '/subaccounts', { name: 'Faculty' })
  const { body: own } = await ask(session, 'POST', '/keys', { alias: 'Server' })
  const { body: inside } = await ask(session, 'POST', `/subaccounts/${child.id}/keys`, { alias: 'Faculty server' })
  return { ...three, child: child.id, own, inside, place: `${three.path}/members/${three.administrator.userId}` }
}

const named = ({ body }: { body: { keys: { key: string; subaccount: number | null }[] } }) =>
  body.keys.map(({ key, subaccount }) => [key, subaccount])

test('the keys that a removed person made for sub-accounts are listed with those of the team, each with its account', async () => {
  const { owner, child, own, inside, place } = await family()
  const removed = await ask(owner.session, 'DELETE', place)
  expect(named(removed)).toEqual([
    [inside.key, child],
    [own.key, null],
  ])
  await setTimeout(BRIEFLY_MS)
  expect([await open(own.jwt), await open(inside.token)]).toEqual([200, 200])
})

test('with revokeKeys the keys that a removed person made for sub-accounts end too, and stand in the audit of those', async () => {
  const { owner, child, own, inside, place } = await family()
  const { body: others } = await ask(owner.session, 'POST', `/subaccounts/${child}/keys`, { role: 'administrator' })
  expect([await open(own.jwt), await open(inside.token), await open(others.token)]).toEqual([200, 200, 200])
  expect(named(await ask(owner.session, 'DELETE', `${place}?revokeKeys=true`))).toEqual([])
  await setTimeout(BRIEFLY_MS)
  expect([await open(own.jwt), await open(inside.token), await open(others.token)]).toEqual([401, 401, 200])
  const { body } = await asKey(others.token, 'GET', `/teams/${child}/audit?action=revokeKey`)
  expect(body.list).toMatchObject([{ subject: inside.key, actor: `user:${owner.userId}` }])
})

test('a transfer lists the keys with the role of an owner in sub-accounts too, and revokes them where that is wanted', async () => {
  const { owner, member, path, child } = await family()
  const { body: great } = await ask(owner.session, 'POST', `/subaccounts/${child}/keys`, { role: 'owner' })
  const given = await ask(owner.session, 'POST', `${path}/transfer`, { userId: member.userId })
  expect(named(given)).toEqual([[great.key, child]])
  await setTimeout(BRIEFLY_MS)
  const back = await ask(member.session, 'POST', `${path}/transfer`, { userId: owner.userId, revokeKeys: true })
  expect(named(back)).toEqual([])
  expect(await open(great.token)).toBe(401)
})

test('keys that a person made with a temporary key are listed at the removal, and invitations end', async () => {
  const { owner, administrator, path, child, place } = await family()
  const temporary = await temporaryKey(administrator.session, owner.teamId)
  const inChild = await temporaryKey(administrator.session, owner.teamId, { subaccount: child })
  const { body: one } = await asKey(temporary, 'POST', '/keys', { alias: 'One' })
  const { body: two } = await asKey(inChild, 'POST', '/keys', { alias: 'Two' })
  const { body: invited } = await asKey(temporary, 'POST', `${path}/invite`, {
    emails: [`door${child}@company.example`],
  })
  const listed = named(await ask(owner.session, 'DELETE', place))
  expect(listed).toEqual(
    expect.arrayContaining([
      [one.key, null],
      [two.key, child],
    ]),
  )
  const { body: canceled } = await ask(owner.session, 'GET', `${path}/invitations?status=canceled`)
  expect(canceled.map(({ id }: { id: number }) => id)).toEqual([invited.invitations[0].id])
})

test('a removal ends nothing that the person holds in other teams', async () => {
  const [one, other] = [await family(), await company()]
  const { administrator } = one
  const email = administrator.email
  await ask(other.owner.session, 'POST', `${other.path}/invite`, { emails: [email], role: 'administrator' })
  const accept_invitation_token = await world().token(email)
  await ask(administrator.session, 'POST', '/teams/accept-member-invite', { accept_invitation_token })
  const { token } = (await ask(administrator.session, 'POST', '/auth/sessions', { teamId: other.owner.teamId })).body
  const key = await temporaryKey(token, other.owner.teamId)
  expect((await ask(one.owner.session, 'DELETE', one.place)).status).toBe(200)
  expect(await open(key)).toBe(200)
})

test('nobody removes themselves: 409, by a session as by a temporary key, and nothing changes', async () => {
  const { owner, administrator, path, place } = await family()
  const temporary = await temporaryKey(administrator.session, owner.teamId)
  const answers = [await ask(administrator.session, 'DELETE', place), await asKey(temporary, 'DELETE', place)]
  for (const { status, body } of answers) expect([status, body.type]).toEqual([409, 'conflict'])
  expect((await ask(owner.session, 'GET', `${path}/members`)).body).toHaveLength(3)
  expect([await open(temporary), (await ask(administrator.session, 'GET', path)).status]).toEqual([200, 200])
})
