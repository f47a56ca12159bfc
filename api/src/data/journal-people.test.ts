import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { endOpenings } from '../accounts/end-openings.store.js'
import { withSession } from '../accounts/people.testing.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { journalWorld } from './journal.testing.js'

const world = forAllTests(() => journalWorld())

type Person = Awaited<ReturnType<ReturnType<typeof world>['signInAnyone']>>
const rows = (text: string, ...values: unknown[]) => world().rows(text, ...values)
const newAddress = () => `${randomUUID()}@company.example`
const ask = async ({ session }: Pick<Person, 'session'>, method: string, url: string, body?: object) => {
  const answer = await withSession(world().app, session, method, url, body)
  return { status: answer.statusCode, body: answer.json() }
}

async function invite(boss: Person, email: string): Promise<void> {
  const answer = await ask(boss, 'POST', `/teams/${boss.teamId}/invite`, { emails: [email], role: 'administrator' })
  expect(answer.status).toBe(200)
}

test('an invitation opens nothing in a restored copy, and is canceled as people cancel one', async () => {
  const [boss, email] = [await world().signInAnyone(), newAddress()]
  await invite(boss, email)
  const token = await world().token(email)
  await invite(boss, newAddress())
  const mails = () => rows('select from service.outgoing_mails where team_id = $1', boss.teamId)
  expect(await mails()).toHaveLength(1)
  const ended = await world().environment.db.transaction('system', (tx) => endOpenings(tx, world().clock.now()))
  expect(ended.invitations).toBe(2)
  expect(ended.signIns).toBeGreaterThan(0)
  // A mail that waits has a token that opens nothing.
  expect(await mails()).toEqual([])
  const [invited, again] = [await world().signIn(email), await world().signIn(boss.email)]
  const accepted = await ask(invited, 'POST', '/teams/accept-member-invite', { accept_invitation_token: token })
  expect(accepted.body).toMatchObject({ type: 'invite_token_expired' })
  const url = `/teams/${boss.teamId}`
  const { list } = (await ask(again, 'GET', `${url}/audit?action=cancelTeamInvitation`)).body
  const change = { before: { status: 'pending' }, after: { status: 'canceled' }, actor: 'system' }
  expect(list).toMatchObject([change, change])
  // The address can be invited again.
  await invite(again, email)
  expect((await ask(again, 'GET', `${url}/invitations?status=pending`)).body).toMatchObject([{ email }])
})
