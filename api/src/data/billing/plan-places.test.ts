import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Person, withSession } from '../../accounts/people.testing.js'
import { atOnceIn } from '../../platform/testing/at-once.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { liveWorld, TINY_PLANS } from '../data.testing.js'

const world = forAllTests(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'accredit-plans-'))
  const file = join(folder, 'plans.json')
  writeFileSync(file, JSON.stringify(TINY_PLANS))
  const opened = await liveWorld(file)
  return { ...opened, close: () => opened.close().finally(() => rmSync(folder, { recursive: true })) }
})

async function ask({ session }: Person, method: string, url: string, body?: object) {
  const answer = await withSession(world().app, session, method, url, body)
  return { status: answer.statusCode, body: answer.json() }
}

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
