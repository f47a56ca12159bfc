import { randomBytes, randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withSession } from '../accounts/people.testing.js'
import { appendToJournal, readJournal } from '../platform/process/erasure-journal.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { requestAs } from '../platform/testing/request-as.js'
import { applyJournal } from './apply-journal.js'
import { deletePiece } from './deletion/delete-team.js'
import { journalWorld } from './journal.testing.js'

const world = forAllTests(() => journalWorld())
const journal = () => world().journal

const signIn = () => world().signInAnyone()
const rows = (text: string, ...values: unknown[]) => world().rows(text, ...values)
const signer = { destroyKeys: async () => undefined } as never
const deleteAll = async (id: string, team: number) => {
  while (
    (await deletePiece(
      { ...world().environment, db: world().scratch.db, clock: world().clock, signer },
      { id, team_id: team as never },
    )) === 'more'
  );
}

describe('POST /data/delete', () => {
  test('wants the address of the account, and does nothing without it', async () => {
    const { session, teamId, email } = await signIn()
    for (const validation of ['somebody@else.example', `${email}x`, 'Team'])
      expect((await withSession(world().app, session, 'POST', '/data/delete', { validation })).statusCode).toBe(400)
    expect((await withSession(world().app, session, 'POST', '/data/delete', {})).statusCode).toBe(400)
    expect(await rows('select from service.deletions where team_id = $1', teamId)).toEqual([])
    expect((await withSession(world().app, session, 'GET', `/teams/${teamId}`)).statusCode).toBe(200)
  })

  test('ends keys, sessions and web hooks of the team and its sub-accounts at once, and tells how far it is', async () => {
    const { session, teamId, email, userId } = await signIn()
    const { jwt } = (await withSession(world().app, session, 'POST', '/keys', { role: 'owner' })).json()
    const child = (await withSession(world().app, session, 'POST', '/subaccounts', { name: 'Faculty' })).json().id
    const { token } = (
      await withSession(world().app, session, 'POST', `/subaccounts/${child}/keys`, { role: 'owner' })
    ).json()
    world().writer.rows.clear()
    await world().writer.insert('webhooks', { team_id: teamId, status: 1, url: 'https://hooks.example.org' })
    const answer = await withSession(world().app, session, 'POST', '/data/delete', { validation: email.toUpperCase() })
    expect(answer.json()).toEqual({ code: 200, deletions: [expect.any(String)] })
    // Keys and sessions are remembered for a second.
    for (const apiKey of [jwt, token])
      await expect.poll(async () => (await requestAs(world().app, { apiKey }, 'GET', '/keys')).statusCode).toBe(401)
    await expect
      .poll(async () => (await withSession(world().app, session, 'GET', `/teams/${teamId}`)).statusCode)
      .toBe(401)
    expect(await rows('select status from service.webhooks where team_id = $1', teamId)).toEqual([{ status: 0 }])
    const [id] = answer.json().deletions
    const told = async () => (await requestAs(world().app, undefined, 'GET', `/data/deletions/${id}`)).json()
    expect(await told()).toMatchObject({ id, status: 'in_progress', ended: null })
    const [ofChild] = await rows('select id from service.deletions where team_id = $1', child)
    await deleteAll(id, teamId)
    expect(await told()).toMatchObject({ status: 'in_progress' })
    await deleteAll(String(ofChild?.id), child)
    await deleteAll(id, teamId)
    expect(await told()).toMatchObject({ status: 'finalized', counts: { webhooks: 1, team_members: 1 } })
    // The person can sign in again, and begins anew.
    expect(await rows('select from service.users where id = $1', userId)).toHaveLength(1)
    expect((await requestAs(world().app, undefined, 'GET', `/data/deletions/${randomUUID()}`)).statusCode).toBe(404)
  })
})

describe('POST /data/accountdelete', () => {
  test('takes the person from everywhere, and leaves the keys that others rely on', async () => {
    const [boss, leaver] = [await signIn(), await signIn()]
    const retried = { 'idempotency-key': randomUUID() }
    const invited = { emails: [leaver.email], role: 'administrator' }
    const invite = () =>
      withSession(world().app, boss.session, 'POST', `/teams/${boss.teamId}/invite`, invited, retried)
    await invite()
    const invitation = await world().token(leaver.email)
    await withSession(world().app, leaver.session, 'POST', '/teams/accept-member-invite', {
      accept_invitation_token: invitation,
    })
    const token = await world().link(leaver.email)
    const there = (
      await withSession(world().app, undefined, 'POST', '/auth/sessions', { token, teamId: boss.teamId })
    ).json().token
    const { key } = (await withSession(world().app, there, 'POST', '/keys', { alias: 'Server' })).json()
    const wanted = { selectedTeamId: boss.teamId, isTestmode: true }
    const apiKey = (await withSession(world().app, there, 'POST', '/keys/temporary-key', wanted)).json().key
    await requestAs(world().app, { apiKey }, 'PATCH', '/data/profile', { name: 'Company', image: '' })
    const name = `Name ${randomBytes(6).toString('hex')}`
    await withSession(world().app, there, 'PATCH', '/data/profile', { name })
    await withSession(world().app, undefined, 'POST', '/auth/links', { email: leaver.email })
    const places = async () => {
      const tables = ['users', 'sign_in_links', 'team_invitations', 'audit']
      const found: string[] = []
      for (const table of tables)
        if ((await rows(`select from service.${table} t where t::text ~ $1`, `${leaver.email}|${name}`)).length > 0)
          found.push(table)
      return found
    }
    expect(await places()).toEqual(['users', 'sign_in_links', 'team_invitations', 'audit'])
    expect((await invite()).body).toContain(leaver.email)
    const answer = await withSession(world().app, leaver.session, 'POST', '/data/accountdelete', { reason: 'Enough' })
    expect(answer.json()).toMatchObject({ code: 200, deletions: [expect.any(String)] })
    expect(await places()).toEqual([])
    // The answer that was kept for retries named the address.
    expect((await invite()).json()).toMatchObject({ status: 409, type: 'conflict' })
    for (const session of [leaver.session, there])
      await expect.poll(async () => (await withSession(world().app, session, 'GET', '/teams')).statusCode).toBe(401)
    const keys = (await withSession(world().app, boss.session, 'GET', '/keys')).json()
    expect(keys).toMatchObject([{ key, createdBy: null }])
    const { list } = (
      await withSession(world().app, boss.session, 'GET', `/teams/${boss.teamId}/audit?actor=user:${leaver.userId}`)
    ).json()
    expect(list.map(({ actorName, address }: Record<string, unknown>) => [actorName, address])).toEqual(
      list.map(() => [null, null]),
    )
    const byKey = await withSession(
      world().app,
      boss.session,
      'GET',
      `/teams/${boss.teamId}/audit?action=updateOwnProfile`,
    )
    expect(byKey.json().list).toMatchObject([
      { subject: `user:${leaver.userId}`, before: null, after: null },
      { actor: expect.stringMatching('key:'), address: null },
    ])
  })

  test('is refused while another team of the person has further people, and for a key without validation', async () => {
    const [owner, other] = [await signIn(), await signIn()]
    const { id } = (await withSession(world().app, owner.session, 'POST', '/teams', { name: 'Shared' })).json()
    await rows(
      'insert into service.team_members (team_id, user_id, role) values ($1, $2, $3)',
      id,
      other.userId,
      'member',
    )
    const answer = await withSession(world().app, owner.session, 'POST', '/data/accountdelete', {})
    expect([answer.statusCode, answer.json().message]).toEqual([409, expect.stringContaining(String(id))])
    const { jwt } = (await withSession(world().app, owner.session, 'POST', '/keys', { role: 'owner' })).json()
    expect((await requestAs(world().app, { apiKey: jwt }, 'POST', '/data/accountdelete', {})).statusCode).toBe(400)
    expect(
      (await requestAs(world().app, { apiKey: jwt }, 'POST', '/data/accountdelete', { validation: owner.email }))
        .statusCode,
    ).toBe(200)
  })
})

describe('the journal', () => {
  test('has each deletion and erasure before the answer, without an id in it, and a restored copy learns of them', async () => {
    const { session, teamId, email, userId } = await signIn()
    const { jwt } = (await withSession(world().app, session, 'POST', '/keys', { role: 'owner' })).json()
    const subject = `did:example:${randomBytes(8).toString('hex')}`
    const erased = (
      await requestAs(world().app, { apiKey: jwt }, 'POST', '/data/erasures', { subjectRef: subject })
    ).json()
    const text = await readFile(journal(), 'utf8')
    expect(text).toContain(erased.id)
    expect(text).not.toContain(subject)
    // A copy from before knows nothing of it.
    await rows('delete from service.erasures where team_id = $1', teamId)
    await applyJournal(world().environment)
    const restored = await rows('select id, ended from service.erasures where team_id = $1', teamId)
    expect(restored).toEqual([{ id: erased.id, ended: null }])
    await applyJournal(world().environment)
    expect(await rows('select from service.erasures where team_id = $1', teamId)).toHaveLength(1)

    const { deletions } = (
      await withSession(world().app, session, 'POST', '/data/accountdelete', { validation: email })
    ).json()
    await rows('update service.teams set closed = null where id = $1', teamId)
    await rows('delete from service.deletions where team_id = $1', teamId)
    await applyJournal(world().environment)
    expect(await rows('select id from service.deletions where team_id = $1', teamId)).toEqual([{ id: deletions[0] }])
    expect((await readJournal(journal())).at(-1)).toMatchObject({ person: { number: userId } })
  })

  test('lets no key of a restored copy open longer than it should, and changes nothing where it did not', async () => {
    const { session, teamId } = await signIn()
    const make = async () => (await withSession(world().app, session, 'POST', '/keys', {})).json()
    const [revoked, rotated, shortened, kept] = [await make(), await make(), await make(), await make()]
    const inDays = (days: number) => new Date(world().clock.now().getTime() + days * 86_400_000).toISOString()
    const [soon, later] = [inDays(1), inDays(2)]
    const done = async (method: string, url: string, body?: object) =>
      expect([url, (await withSession(world().app, session, method, url, body)).statusCode]).toEqual([url, 200])
    await done('DELETE', `/keys/${revoked.key}`)
    await done('POST', `/keys/${rotated.key}/rotate`, { overlapSeconds: 600 })
    for (const expires of [soon, later]) await done('PATCH', `/keys/${shortened.key}`, { expires })
    for (const expires of [soon, null]) await done('PATCH', `/keys/${kept.key}`, { expires })
    const keys = () =>
      rows(
        'select public_part, revoked is null as opens, expires from service.api_keys where team_id = $1 order by id',
        teamId,
      )
    const before = await keys()
    await applyJournal(world().environment)
    expect(await keys()).toEqual(before)

    await rows('update service.api_keys set revoked = null, expires = null where team_id = $1', teamId)
    await applyJournal(world().environment)
    const ends = Object.fromEntries((await keys()).map(({ public_part, expires }) => [public_part, expires]))
    expect(ends[shortened.key]).toEqual(new Date(later))
    expect(ends[kept.key]).toBeNull()
    expect(ends[rotated.key]).toEqual(before.find(({ public_part }) => public_part === rotated.key)?.expires)
    const opens = async ({ jwt: apiKey }: { jwt: string }) =>
      (await requestAs(world().app, { apiKey }, 'GET', '/teams')).statusCode
    await expect.poll(() => opens(revoked)).toBe(401)
    expect([await opens(rotated), await opens(shortened), await opens(kept)]).toEqual([200, 200, 200])
    expect((await applyJournal(world().environment)).keys).toBe(0)
  })

  test('takes a person out of a restored copy who left the team after it was made, unless the person came back', async () => {
    const [boss, leaver] = [await signIn(), await signIn()]
    const join = (joined: Date) =>
      rows(
        'insert into service.team_members (team_id, user_id, role, joined) values ($1, $2, $3, $4)',
        boss.teamId,
        leaver.userId,
        'administrator',
        joined,
      )
    const isThere = async () =>
      (await rows('select from service.team_members where (team_id, user_id) = ($1, $2)', boss.teamId, leaver.userId))
        .length > 0
    const longAgo = new Date('2026-01-01T00:00:00Z')
    await join(longAgo)
    const url = `/teams/${boss.teamId}/members/${leaver.userId}`
    expect((await withSession(world().app, boss.session, 'DELETE', url)).statusCode).toBe(200)
    await join(longAgo)
    await applyJournal(world().environment)
    expect(await isThere()).toBe(false)
    await join(new Date())
    await applyJournal(world().environment)
    expect(await isThere()).toBe(true)
  })

  test('changes nothing for a team or person that has a number anew', async () => {
    const { teamId, userId } = await signIn()
    const created = '2001-01-01T00:00:00.000Z'
    const known = { id: randomUUID(), at: created }
    await appendToJournal(journal(), [
      { ...known, deletion: { number: teamId, created } },
      { ...known, person: { number: userId, created } },
    ])
    await applyJournal(world().environment)
    expect(await rows('select from service.deletions where team_id = $1', teamId)).toEqual([])
    expect(await rows('select from service.users where id = $1', userId)).toHaveLength(1)
  })

  test('is read up to a line that was cut off, and refused where a whole line is something else', async () => {
    const file = join(world().folder, 'other.jsonl')
    expect(await readJournal(file)).toEqual([])
    const time = '2026-01-01T00:00:00.000Z'
    const line = JSON.stringify({ id: randomUUID(), at: time, person: { number: 1, created: time } })
    await writeFile(file, `${line}\n{"id": "cut`)
    expect(await readJournal(file)).toHaveLength(1)
    // The next line goes on after it.
    await appendToJournal(file, [JSON.parse(line)])
    await appendToJournal(file, [JSON.parse(line)])
    expect(await readJournal(file)).toHaveLength(3)
    // One that looked before the other was cut off does not.
    for (const cutOff of [line.slice(0, 3), line.slice(0, 60), line]) {
      await writeFile(file, `${line}\n${cutOff}${line}\n${line}\n`)
      expect(await readJournal(file)).toEqual([line, line, line].map((one) => JSON.parse(one)))
    }
    for (const other of ['{"id": 1}', 'no JSON']) {
      await writeFile(file, `${line}\n${other}\n`)
      await expect(readJournal(file)).rejects.toThrow('Line 2')
    }
  })

  test('is refused where a member of a line is not what it should be, and lines of earlier versions are read', async () => {
    const file = join(world().folder, 'members.jsonl')
    const at = '2026-01-01T00:00:00.000Z'
    const [id, known] = [randomUUID(), { number: 1, created: at }]
    const read = async (what: object) => {
      await writeFile(file, `\n${JSON.stringify({ id, at, ...what })}\n`)
      return readJournal(file)
    }
    const transaction = { database: '7/00000001/5', id: '740' }
    const key = { id: 'ak_test_0123456789ab', key: { ends: at } }
    const whole = [
      { deletion: known },
      { person: known, transaction },
      { erasure: { ...known, marks: ['00ff'] } },
      { erasure: { ...known, marks: [] } },
      key,
      { ...key, key: { ends: null } },
      { member: { team: known, person: known } },
      { member: { team: known, person: known, joined: '2026-01-01T00:00:00.123456+00:00' } },
      { transaction, undone: true },
      { ...key, key: undefined, transaction, undone: true },
    ]
    for (const what of whole) expect(await read(what)).toEqual([JSON.parse(JSON.stringify({ id, at, ...what }))])
    const others: object[] = [
      { id: 'no uuid', deletion: known },
      { id: key.id, deletion: known },
      { ...key, id },
      { at: 'then', deletion: known },
      { deletion: { number: 1, created: 'never' } },
      { deletion: { number: 1, created: '2026-02-30T00:00:00Z' } },
      { deletion: { number: 1, created: '0000-01-01T00:00:00Z' } },
      { deletion: { number: 1, created: '2026-01-01T00:00:00+16:00' } },
      { ...key, key: { ends: 'tomorrow-ish' } },
      { deletion: known, transaction: { ...transaction, id: 'abc' } },
      { deletion: known, transaction: { ...transaction, id: '99999999999999999999' } },
      { deletion: { number: 1e300, created: at } },
      { deletion: { number: 2 ** 53, created: at } },
      { erasure: { ...known, marks: ['zz'] } },
      { erasure: { ...known, marks: ['0'] } },
      { member: { team: known, person: known, joined: 'later' } },
      { deletion: known, person: known },
      { deletion: known, transaction, undone: true },
      { deletion: { ...known, more: 1 } },
    ]
    for (const what of others) await expect(read(what), JSON.stringify(what)).rejects.toThrow('Line 2 of')
  })
})

test('the policies of a team are set one by one, with an hour as the least, and null takes one back to its default', async () => {
  const { session, teamId } = await signIn()
  const patch = (retentionPolicy: object, more = {}) =>
    withSession(world().app, session, 'PATCH', `/teams/${teamId}`, { name: 'T', retentionPolicy, ...more })
  const first = (await withSession(world().app, session, 'GET', `/teams/${teamId}`)).json()
  expect(first).toMatchObject({
    retentionPolicy: {
      verificationData: 259_200,
      verificationRequests: 259_200,
      credentialOffers: 259_200,
      credentials: null,
    },
    notYetEnforced: ['verificationData', 'verificationRequests', 'credentialOffers'],
    storeSubjectRef: false,
  })
  const LONGEST = 3_153_600_000
  for (const policy of Object.keys(first.retentionPolicy))
    for (const [seconds, status] of [
      [3599, 400],
      [3600, 200],
      [3601, 200],
      [LONGEST - 1, 200],
      [LONGEST, 200],
      [LONGEST + 1, 400],
    ]) {
      const answer = await patch({ [policy]: seconds })
      expect([policy, seconds, answer.statusCode]).toEqual([policy, seconds, status])
    }
  const changed = (await patch({ credentials: 3600, credentialOffers: null }, { storeSubjectRef: true })).json()
  expect(changed).toMatchObject({
    retentionPolicy: { verificationData: LONGEST, credentialOffers: 259_200, credentials: 3600 },
    storeSubjectRef: true,
  })
  const [row] = (await withSession(world().app, session, 'GET', `/teams/${teamId}/audit?action=updateTeam`)).json().list
  expect(row).toMatchObject({ before: { storeSubjectRef: false }, after: { storeSubjectRef: true } })
})
