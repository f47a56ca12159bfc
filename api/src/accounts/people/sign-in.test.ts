import { PassThrough } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import { readConfig } from '../../config.js'
import { BRIEFLY_MS } from '../../platform/process/brief-memory.js'
import { createLog } from '../../platform/process/log.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { testEnvironment } from '../../platform/testing/scratch-database.js'
import { deliverMails } from '../mail/deliver-mails.js'
import { accounts } from '../operations.js'
import { accountsWorld, everything, withSession } from '../people.testing.js'

const world = forAllTests(() => accountsWorld())

const post = (url: string, body: object, session?: string) => withSession(world().app, session, 'POST', url, body)
const open = async (session: string, url = '/teams') => (await withSession(world().app, session, 'GET', url)).statusCode

const HOUR_MS = 3_600_000

test('a new person signs up by a mail, and gets a team of their own', async () => {
  const token = await world().link('ayse@bilkent.example')
  const answer = await post('/auth/sessions', { token, name: 'Ayşe Yılmaz', teamName: 'Bilkent' })
  const { userId, teamId, ...body } = answer.json()
  expect(answer.statusCode).toBe(200)
  expect(body).toMatchObject({
    token: expect.stringMatching(/^st_test_[0-9a-f]{64}$/),
    role: 'owner',
    teams: [{ id: teamId, name: 'Bilkent', team_owner_id: userId, parentId: null }],
  })
  const team = await withSession(world().app, body.token, 'GET', `/teams/${teamId}`)
  expect(team.json()).toEqual(body.teams[0])
  const again = await world().signIn('Ayse@Bilkent.Example')
  expect([again.userId, again.teamId]).toEqual([userId, teamId])
})

test('the database holds no session, no token, and no text of a mail', async () => {
  const { scratch } = world()
  const { session } = await world().signIn('hidden@bilkent.example')
  await post('/auth/links', { email: 'hidden@bilkent.example' })
  const rows = await scratch.db.read('system', async (reader) => [
    await reader.selectFrom('sessions').selectAll().execute(),
    await reader.selectFrom('sign_in_links').selectAll().execute(),
    await reader.selectFrom('outgoing_mails').selectAll().execute(),
  ])
  const text = JSON.stringify(rows, (_name, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  )
  expect(text).not.toMatch(/[so]t_test_/)
  expect(text).not.toContain(session.slice(8))
})

test('a token works once, also when it is sent many times at once', async () => {
  const token = await world().link('once@bilkent.example')
  const answers = await Promise.all(Array.from({ length: 8 }, () => post('/auth/sessions', { token })))
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array<number>(7).fill(401)])
})

test('a token that was used, is over, or never was, and one of an invitation, are refused with the same words', async () => {
  const { clock } = world()
  const used = await world().link('used@bilkent.example')
  await post('/auth/sessions', { token: used })
  const over = await world().link('over@bilkent.example')
  clock.offset += HOUR_MS
  const owner = await world().signIn('inviter@bilkent.example')
  await post(`/teams/${owner.teamId}/invite`, { emails: ['guest@bilkent.example'] }, owner.session)
  const invitation = await world().token('guest@bilkent.example')
  expect(invitation).toMatch(/^ot_test_/)
  const answers = await Promise.all(
    [used, over, invitation, `ot_test_${'0'.repeat(64)}`, owner.session].map((token) =>
      post('/auth/sessions', { token }),
    ),
  )
  const bodies = new Set(answers.map(({ body }) => body))
  expect(bodies.size).toBe(1)
  expect(answers[0]?.json()).toMatchObject({ status: 401, type: 'unauthorized' })
})

test('the answer to a known address is that to an unknown one, and both get a mail', async () => {
  await world().signIn('known@bilkent.example')
  const [known, unknown] = [
    await post('/auth/links', { email: 'known@bilkent.example' }),
    await post('/auth/links', { email: 'unknown@bilkent.example' }),
  ]
  expect([known.statusCode, known.body]).toEqual([unknown.statusCode, unknown.body])
  await world().delivered()
  const { mails } = world().smtp
  const textTo = (email: string) =>
    mails
      .findLast(({ to }) => to.includes(email))
      ?.text.replace(/^(?!Subject).*: .*$/gm, '')
      .replace(/ot_test_\w+/, '')
  expect(textTo('unknown@bilkent.example')).toBeTruthy()
  expect(textTo('unknown@bilkent.example')).toBe(textTo('known@bilkent.example'))
})

test.each([
  'nobody',
  'a@b, c@d.example',
  'a@b.example\r\nBcc: victim@c.example',
  '"x" <a@b.example>',
  // A letter whose lower case is another one's: the Kelvin sign.
  'ris\u212A@bilkent.example',
  `${'a'.repeat(65)}@b.example`,
  `a@${'b'.repeat(260)}.example`,
  { toString: 'x' },
  ['a@b.example'],
])('the address %j gets no mail: 400', async (email) => {
  const before = world().smtp.mails.length
  expect((await post('/auth/links', { email })).statusCode).toBe(400)
  await world().delivered()
  expect(world().smtp.mails).toHaveLength(before)
})

test('a session that a stranger planted is not the one that a person signs in to', async () => {
  const stranger = await world().signIn('stranger@evil.example')
  const token = await world().link('victim@bilkent.example')
  const answer = await withSession(world().app, stranger.session, 'POST', '/auth/sessions', { token })
  const { token: session, userId } = answer.json()
  expect(session).not.toBe(stranger.session)
  expect(userId).not.toBe(stranger.userId)
  const teams = await withSession(world().app, stranger.session, 'GET', '/teams')
  expect(teams.json().map(({ team_owner_id }: { team_owner_id: number }) => team_owner_id)).toEqual([stranger.userId])
  // Neither does a session that nobody gave open anything, before or after.
  expect(await open(`st_test_${'ab'.repeat(32)}`)).toBe(401)
})

test('a session ends when it is over, when its person signs out, and with all others of the person where that is wanted', async () => {
  const { clock, app } = world()
  const email = 'leaves@bilkent.example'
  const [one, two, three] = [await world().signIn(email), await world().signIn(email), await world().signIn(email)]
  expect((await withSession(app, one.session, 'DELETE', '/auth/sessions')).statusCode).toBe(200)
  await setTimeout(BRIEFLY_MS)
  expect([await open(one.session), await open(two.session)]).toEqual([401, 200])
  expect((await withSession(app, two.session, 'DELETE', '/auth/sessions?all=true')).statusCode).toBe(200)
  await setTimeout(BRIEFLY_MS)
  expect([await open(two.session), await open(three.session)]).toEqual([401, 401])
  const last = await world().signIn(email)
  clock.offset += 13 * HOUR_MS
  expect(await open(last.session)).toBe(401)
})

test('a session in another team of the person ends when the first one does, and none opens a team of somebody else', async () => {
  const { clock, app } = world()
  const person = await world().signIn('two@bilkent.example')
  const other = await world().signIn('other@bilkent.example')
  const { id } = (await post('/teams', { name: 'Second' }, person.session)).json()
  clock.offset += HOUR_MS
  const further = (await post('/auth/sessions', { teamId: id }, person.session)).json()
  expect(further).toMatchObject({ teamId: id, role: 'owner', userId: person.userId })
  expect(await open(further.token, `/teams/${id}`)).toBe(200)
  expect(await open(further.token, `/teams/${person.teamId}`)).toBe(404)
  clock.offset += 11.5 * HOUR_MS
  expect(await open(further.token)).toBe(401)
  const again = await world().signIn('two@bilkent.example')
  const [theirs, missing] = [
    await post('/auth/sessions', { teamId: other.teamId }, again.session),
    await post('/auth/sessions', { teamId: 999_999 }, again.session),
  ]
  expect([theirs.statusCode, theirs.body]).toEqual([404, missing.body])
  expect((await post('/auth/sessions', { teamId: id })).statusCode).toBe(400)
  expect((await withSession(app, undefined, 'POST', '/auth/sessions', {})).statusCode).toBe(400)
})

test('a person sets neither their number, nor their role, nor their address when signing in', async () => {
  const victim = await world().signIn('assigned@bilkent.example')
  const token = await world().link('assigner@evil.example')
  const assigned = { token, userId: victim.userId, id: victim.userId, email: 'assigned@bilkent.example', role: 'owner' }
  const { userId } = (await post('/auth/sessions', assigned)).json()
  expect(userId).not.toBe(victim.userId)
})

test('an address gets thirty links an hour, five from one network: a stranger alone keeps nobody from signing in', async () => {
  const from = async (network: number) => {
    const headers = { 'x-forwarded-for': `203.0.113.${network}` }
    const body = { email: 'wanted@bilkent.example' }
    return (await withSession(world().app, undefined, 'POST', '/auth/links', body, headers)).statusCode
  }
  for (let network = 1; network <= 6; network++) {
    const answers = []
    for (let i = 0; i < 6; i++) answers.push(await from(network))
    expect(answers).toEqual([200, 200, 200, 200, 200, 429])
  }
  expect(await from(7)).toBe(429)
  await world().delivered()
})

test('an address gets five links an hour from one place, and an operator who set no mail server finds them in the log', async () => {
  const { scratch, clock } = world()
  const stream = new PassThrough()
  const config = readConfig({ DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl })
  const environment = testEnvironment(scratch, { config, clock, log: createLog('warn', 'test', stream) })
  const app = await buildApp(environment, [accounts])
  const ask = () => withSession(app, undefined, 'POST', '/auth/links', { email: 'often@bilkent.example' })
  const answers = []
  for (let i = 0; i < 6; i++) answers.push((await ask()).statusCode)
  expect(answers).toEqual([200, 200, 200, 200, 200, 429])
  // Another service of this process counts its own.
  expect((await post('/auth/links', { email: 'often@bilkent.example' })).statusCode).toBe(200)
  await deliverMails(environment)
  await app.close()
  const logged = String(stream.read())
  expect(logged).toContain('SMTP_URL is not set')
  const token = /#token=(ot_test_\w+)/.exec(logged)?.[1] ?? ''
  expect((await post('/auth/sessions', { token })).statusCode).toBe(200)
  expect(logged).not.toContain('often@')
})

test('a mail that the server refuses is tried again, and one that is over is not', async () => {
  const { smtp, clock } = world()
  smtp.state.refuses = true
  await post('/auth/links', { email: 'later@bilkent.example' })
  await world().delivered()
  smtp.state.refuses = false
  expect(await world().token('later@bilkent.example')).toBe('')
  clock.offset += 31_000
  expect(await world().token('later@bilkent.example')).toMatch(/^ot_test_/)
  smtp.state.refuses = true
  await post('/auth/links', { email: 'never@bilkent.example' })
  await world().delivered()
  smtp.state.refuses = false
  clock.offset += HOUR_MS
  expect(await world().token('never@bilkent.example')).toBe('')
})

test('oversized requests are refused, and leave nothing', async () => {
  const before = await everything(world().scratch)
  const token = 'x'.repeat(100_000)
  const answers = await Promise.all([
    post('/auth/links', { email: `${token}@b.example` }),
    post('/auth/sessions', { token }),
    post('/auth/sessions', { token: 'x', name: token }),
  ])
  for (const { statusCode } of answers) expect([400, 413]).toContain(statusCode)
  expect(await open(token.slice(0, 8000))).toBe(401)
  expect(await everything(world().scratch)).toEqual(before)
})
