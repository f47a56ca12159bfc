import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { answerTo, type Person } from '../../accounts/people.testing.js'
import { atOnceIn } from '../../platform/testing/at-once.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { liveWorld } from '../data.testing.js'

const world = forAllTests(() => liveWorld())

const ask = (person: Person, method: string, url: string, body?: object) =>
  answerTo(world().app, person, method, url, body)

const invite = (owner: Person, email: string) =>
  ask(owner, 'POST', `/teams/${owner.teamId}/invite`, { emails: [email] })

test('an invitation that was over is not sent again into a full plan', async () => {
  const { clock, smtp, signIn, delivered } = world()
  const before = await signIn('full@places.example')
  const { body } = await invite(before, 'slow@places.example')
  clock.offset += 8 * 86_400_000
  const owner = await signIn('full@places.example')
  expect((await invite(owner, 'quick@places.example')).status).toBe(200)
  await delivered()
  const mails = smtp.mails.length
  const path = `/teams/${owner.teamId}/invitations`
  const again = await ask(owner, 'POST', `${path}/${body.invitations[0].id}/resend`)
  expect([again.status, again.body.type]).toEqual([402, 'limit_reached'])
  await delivered()
  expect(smtp.mails).toHaveLength(mails)
  const { body: open } = await ask(owner, 'GET', `${path}?status=pending`)
  await ask(owner, 'POST', `${path}/${open[0].id}/cancel`)
  expect((await ask(owner, 'POST', `${path}/${body.invitations[0].id}/resend`)).status).toBe(200)
})

test('a plan is not chosen that is too small with whoever is invited at this moment', async () => {
  const owner = await world().signIn('grows@places.example')
  await ask(owner, 'PATCH', '/data/subscription', { plan: 'larger' })
  expect((await invite(owner, 'one@places.example')).status).toBe(200)
  const [invited, chosen] = await atOnceIn(world().scratch, {
    hold: (tx) =>
      sql`insert into service.team_invitations (team_id, email, role, hash, created, sent, expires)
        values (${owner.teamId}, 'two@places.example', 'member', sha256('held'), now(), now(), now())`.execute(tx),
    first: () => invite(owner, 'two@places.example'),
    second: () => ask(owner, 'PATCH', '/data/subscription', { plan: 'tiny' }),
  })
  expect([invited.status, chosen.status]).toEqual([200, 409])
  expect((await ask(owner, 'GET', '/data/subscription')).body.plan).toBe('larger')
})

test('a sub-account is told the requests that its keys have, which are those of the plan of its parent', async () => {
  const owner = await world().signIn('parent@places.example')
  await ask(owner, 'PATCH', '/data/subscription', { plan: 'larger' })
  const { id } = (await ask(owner, 'POST', '/subaccounts', { name: 'Faculty' })).body
  const { token: apiKey } = (await ask(owner, 'POST', `/subaccounts/${id}/keys`, {})).body
  const answer = await requestAs(world().app, { apiKey }, 'GET', '/data/limits')
  expect([answer.headers['ratelimit-limit'], answer.json().requests.limit]).toEqual(['500', 500])
})
