import { beforeEach, expect, test } from 'vitest'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { sentStatements } from '../../platform/testing/sent-statements.js'
import { accountsWorld, withSession } from '../people.testing.js'

const world = forAllTests(() => accountsWorld())

const post = (url: string, body: object, session?: string) => withSession(world().app, session, 'POST', url, body)

/** A network gets so many links an hour. */
beforeEach(() => {
  world().clock.offset += 3_600_000
})

/** The work for a request: the statements of its answer and of the mails that follow, and the number of these. */
async function workOf(send: () => Promise<{ statusCode: number }>) {
  await world().delivered()
  const before = world().smtp.mails.length
  const statements = await sentStatements(async () => {
    expect((await send()).statusCode).toBe(200)
    await world().delivered()
  })
  // A caller is looked up once a second.
  const work = statements.filter((text) => !text.includes('service.find_session'))
  return { statements: work, mails: world().smtp.mails.length - before }
}

test('a link costs the same for an address that nobody has, for a person, and for one who is invited', async () => {
  const owner = await world().signIn('owner@work.example')
  await post(`/teams/${owner.teamId}/invite`, { emails: ['invited@work.example'] }, owner.session)
  const link = (email: string) => () => post('/auth/links', { email })
  // Connections and texts are known from then on.
  for (const email of ['first@work.example', 'second@work.example']) await workOf(link(email))
  const unknown = await workOf(link('nobody@work.example'))
  expect(unknown.mails).toBe(1)
  expect(unknown.statements.some((text) => text.includes('sign_in_links'))).toBe(true)
  for (const email of ['owner@work.example', 'invited@work.example'])
    expect([email, await workOf(link(email))]).toEqual([email, unknown])
})

test('an invitation costs the same for an address that nobody has and for a person of another team', async () => {
  const owner = await world().signIn('host@work.example')
  await world().signIn('known@work.example')
  const invite = (email: string) => () => post(`/teams/${owner.teamId}/invite`, { emails: [email] }, owner.session)
  for (const email of ['third@work.example', 'fourth@work.example']) await workOf(invite(email))
  const unknown = await workOf(invite('stranger@work.example'))
  expect(unknown.mails).toBe(1)
  expect(await workOf(invite('known@work.example'))).toEqual(unknown)
})

test('the token of nobody costs the same as one that was used, and tells the same', async () => {
  const used = await world().link('used@work.example')
  expect((await post('/auth/sessions', { token: used })).statusCode).toBe(200)
  const refused = async (token: string) => {
    let answer = ''
    const statements = await sentStatements(async () => {
      answer = (await post('/auth/sessions', { token })).body
    })
    return { statements, answer }
  }
  for (const digit of '01') await refused(`ot_test_${digit.repeat(64)}`)
  expect(await refused(used)).toEqual(await refused(`ot_test_${'2'.repeat(64)}`))
})
