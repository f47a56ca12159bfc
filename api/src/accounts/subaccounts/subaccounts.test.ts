import { setTimeout } from 'node:timers/promises'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import type { TeamId } from '../../platform/database/ids.js'
import { operation } from '../../platform/http/operation.js'
import { BRIEFLY_MS } from '../../platform/process/brief-memory.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { testTeam } from '../../platform/testing/scratch-database.js'
import { accounts } from '../operations.js'
import { accountsWorld, everything, withSession } from '../people.testing.js'

/** Every row of a tenant that a caller sees: the database tells, whatever an operation asks for. */
const contents = operation({
  method: 'GET',
  url: '/contents',
  operationId: 'contents',
  tags: [],
  summary: '',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  response: { 200: Type.Any() },
  handler: (ctx) =>
    ctx.db.read(ctx.scope, async (reader) =>
      (await reader.selectFrom('jobs').select('id').orderBy('id').execute()).map(({ id }) => id),
    ),
})

const world = forAllTests(async () => {
  const opened = await accountsWorld()
  const app = await buildApp(opened.environment, [accounts, { operations: [contents] }])
  return { ...opened, app, close: () => app.close().then(opened.close) }
})

const ask = async (apiKey: string, method: string, url: string, body?: object) => {
  const answer = await requestAs(world().app, { apiKey }, method, url, body)
  return { status: answer.statusCode, body: answer.json() }
}

let jobs = 0
async function contentOf(team: number): Promise<string> {
  jobs += 1
  const id = String(jobs)
  await world().scratch.db.transaction('system', (tx) =>
    tx
      .insertInto('jobs')
      .values({ id, team_id: team as TeamId, kind: 'test', data: '{}', result: '{}' })
      .execute(),
  )
  return id
}

/** A parent with two sub-accounts, each with a key and a thing of its own. */
async function family() {
  const person = await world().signIn(`parent${jobs}@company.example`)
  const { jwt: parent } = (
    await withSession(world().app, person.session, 'POST', '/keys', { role: 'administrator' })
  ).json()
  const child = async (name: string) => {
    const { body } = await ask(parent, 'POST', '/subaccounts', { name })
    const made = await ask(parent, 'POST', `/subaccounts/${body.id}/keys`, { role: 'administrator' })
    return { id: body.id, key: made.body.token, keyId: made.body.id, thing: await contentOf(body.id) }
  }
  const [one, two] = [await child('One'), await child('Two')]
  return { person, parent, thing: await contentOf(person.teamId), one, two }
}

test('parent, child and sibling see their own contents, and nothing of each other', async () => {
  const { parent, thing, one, two } = await family()
  expect((await ask(parent, 'GET', '/contents')).body).toEqual([thing])
  expect((await ask(one.key, 'GET', '/contents')).body).toEqual([one.thing])
  expect((await ask(two.key, 'GET', '/contents')).body).toEqual([two.thing])
})

test('a parent manages its sub-accounts, which are in no list of anybody else', async () => {
  const { parent, one, two } = await family()
  const list = await ask(parent, 'GET', '/subaccounts')
  expect(list.body.map(({ id }: { id: number }) => id)).toEqual([two.id, one.id])
  expect((await ask(parent, 'GET', '/subaccounts?newFormat=true&limit=1')).body).toEqual({
    total: 2,
    list: [list.body[0]],
  })
  const renamed = await ask(parent, 'PATCH', `/subaccounts/${one.id}`, { name: 'First', image: 'any prose' })
  expect(renamed.body).toMatchObject({ id: one.id, name: 'First', image: 'any prose' })
  expect((await ask(parent, 'GET', `/subaccounts/${one.id}`)).body).toEqual(renamed.body)
  const { apiKey } = await testTeam(world().scratch.db)
  expect((await ask(apiKey, 'GET', '/subaccounts')).body).toEqual([])
  expect((await ask(one.key, 'GET', '/subaccounts')).body).toEqual([])
})

test('child, sibling and stranger find no sub-account by its number, and change nothing', async () => {
  const { parent, one, two } = await family()
  const { apiKey: stranger } = await testTeam(world().scratch.db)
  const before = await everything(world().scratch)
  const tries = (id: number, keyId: string): [string, string, object?][] => [
    ['GET', `/subaccounts/${id}`],
    ['PATCH', `/subaccounts/${id}`, { name: 'Taken' }],
    ['DELETE', `/subaccounts/${id}`],
    ['GET', `/subaccounts/${id}/keys`],
    ['POST', `/subaccounts/${id}/keys`, {}],
    ['DELETE', `/subaccounts/${id}/keys/${keyId}`],
    ['GET', `/teams/${id}`],
    ['GET', `/teams/${id}/members`],
    ['GET', `/teams/${id}/audit`],
    ['PATCH', `/teams/${id}`, { name: 'Taken' }],
  ]
  for (const caller of [two.key, stranger])
    for (const [i, [method, path, body]] of tries(one.id, one.keyId).entries()) {
      const missing = tries(999_999, one.keyId)[i]
      const [theirs, nothing] = [
        await ask(caller, method, path, body),
        await ask(caller, method, missing?.[1] ?? '', body),
      ]
      expect([method, path, theirs.status]).toEqual([method, path, 404])
      expect(theirs.body).toEqual(nothing.body)
    }
  // A parent has no other way into a child, and its own key is none of a sub-account's.
  for (const path of [`/teams/${one.id}`, `/teams/${one.id}/audit`])
    expect((await ask(parent, 'GET', path)).status).toBe(404)
  expect((await ask(parent, 'DELETE', `/keys/${one.keyId}`)).status).toBe(404)
  expect((await ask(parent, 'DELETE', `/subaccounts/${two.id}/keys/${one.keyId}`)).status).toBe(404)
  expect(await everything(world().scratch)).toEqual(before)
})

test('a parent reads contents with a temporary key that names the sub-account, for an hour, and both see it in their audit', async () => {
  const { person, one, two } = await family()
  const { session, teamId } = person
  const wanted = { selectedTeamId: teamId, isTestmode: true }
  const temporary = async (more: object) => {
    const answer = await withSession(world().app, session, 'POST', '/keys/temporary-key', { ...wanted, ...more })
    return { status: answer.statusCode, body: answer.json() }
  }
  const made = await temporary({ subaccount: one.id })
  expect(made).toMatchObject({ status: 200, body: { selectedTeamId: teamId, subaccount: one.id } })
  expect((await ask(made.body.key, 'GET', '/contents')).body).toEqual([one.thing])
  const trail = await withSession(world().app, session, 'GET', `/teams/${teamId}/audit?action=openSubAccount`)
  expect(trail.json().list).toMatchObject([{ actor: `user:${person.userId}`, subject: String(one.id) }])
  const inside = await ask(one.key, 'GET', `/teams/${one.id}/audit?action=createKey`)
  expect(inside.body.list[0]).toMatchObject({ actor: `user:${person.userId}` })
  const other = await world().signIn(`neighbour${jobs}@company.example`)
  const stolen = await withSession(world().app, other.session, 'POST', '/keys/temporary-key', {
    selectedTeamId: other.teamId,
    isTestmode: true,
    subaccount: two.id,
  })
  expect(stolen.statusCode).toBe(404)
  expect((await temporary({ selectedTeamId: other.teamId })).status).toBe(404)
  expect((await temporary({ selectedTeamId: one.id })).status).toBe(404)
  world().clock.offset += 3_600_000
  expect((await ask(made.body.key, 'GET', '/contents')).status).toBe(401)
  world().clock.offset = 0
})

test('a sub-account has no sub-accounts, and none becomes one by the body of a request', async () => {
  const { parent, one } = await family()
  expect((await ask(one.key, 'POST', '/subaccounts', { name: 'Below' })).status).toBe(403)
  const made = await ask(parent, 'POST', '/subaccounts', { name: 'Mine', parent_id: one.id, parentId: one.id, id: 1 })
  expect((await ask(parent, 'GET', `/subaccounts/${made.body.id}`)).status).toBe(200)
})

test('keys of a sub-account that ended open nothing a second later, and its parent finds it no more', async () => {
  const { parent, one, two } = await family()
  expect((await ask(one.key, 'GET', '/contents')).status).toBe(200)
  expect(await ask(parent, 'DELETE', `/subaccounts/${one.id}`)).toEqual({
    status: 200,
    body: { deletion: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  })
  await setTimeout(BRIEFLY_MS)
  expect((await ask(one.key, 'GET', '/contents')).status).toBe(401)
  expect((await ask(two.key, 'GET', '/contents')).status).toBe(200)
  for (const [method, path] of [
    ['GET', `/subaccounts/${one.id}`],
    ['DELETE', `/subaccounts/${one.id}`],
    ['POST', `/subaccounts/${one.id}/keys`],
  ] as const)
    expect((await ask(parent, method, path)).status).toBe(404)
  const list = await ask(parent, 'GET', '/subaccounts')
  expect(list.body.map(({ id }: { id: number }) => id)).toEqual([two.id])
})

test('a key of a sub-account is revoked by its parent, and has at most the role of its maker', async () => {
  const { parent, one } = await family()
  expect((await ask(parent, 'POST', `/subaccounts/${one.id}/keys`, { role: 'owner' })).status).toBe(403)
  const listed = await ask(parent, 'GET', `/subaccounts/${one.id}/keys`)
  expect(listed.body.map(({ id }: { id: string }) => id)).toEqual([one.keyId])
  expect(await ask(parent, 'DELETE', `/subaccounts/${one.id}/keys/${one.keyId}`)).toEqual({ status: 200, body: {} })
  await setTimeout(BRIEFLY_MS)
  expect((await ask(one.key, 'GET', '/contents')).status).toBe(401)
  expect((await ask(parent, 'POST', `/subaccounts/${one.id}/keys`)).body.role).toBe('member')
})

test('a sub-account has no people: whoever could invite some there would have a place that the parent does not see', async () => {
  const { one, parent } = await family()
  const emails = [`nobody-${one.id}@company.example`]
  const { status, body } = await ask(one.key, 'POST', `/teams/${one.id}/invite`, { emails })
  expect([status, body.type]).toEqual([403, 'forbidden'])
  expect((await ask(one.key, 'GET', `/teams/${one.id}/invitations`)).body).toEqual([])
  const [team] = (await ask(parent, 'GET', '/teams')).body
  expect((await ask(parent, 'POST', `/teams/${team.id}/invite`, { emails })).status).toBe(200)
})
