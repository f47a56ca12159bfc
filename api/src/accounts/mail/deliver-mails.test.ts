import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { accountsWorld, withSession } from '../people.testing.js'
import { deliverMails } from './deliver-mails.js'
import { recipientMark } from './mail.store.js'

const world = forAllTests(() => accountsWorld())

/** Another process sends mails by a database of its own. */
const deliverElsewhere = () => {
  const { environment } = world()
  return deliverMails({ ...environment, db: { ...environment.db } })
}

/** Invites people by mails that were tried once, and are due again. @returns the team */
async function invite(by: string, emails: readonly string[]): Promise<number> {
  const { app, smtp, clock, environment, signIn } = world()
  const { session, teamId } = await signIn(by)
  smtp.state.refuses = true
  await withSession(app, session, 'POST', `/teams/${teamId}/invite`, { emails })
  await deliverMails(environment)
  smtp.state.refuses = false
  clock.offset += 31_000
  return teamId
}

test('a mail that a slow server thinks about is not sent by another process, which sends the others', async () => {
  const { smtp, clock, environment, scratch } = world()
  const emails = Array.from({ length: 3 }, () => `${randomUUID()}@bilkent.example`)
  await invite('inviting@bilkent.example', emails)
  const end = new AbortController()
  smtp.state.thinksUntil = once(end.signal, 'abort').then(() => undefined)
  const slowly = deliverMails(environment)
  const untried = () =>
    scratch.db.read('system', (reader) =>
      reader.selectFrom('outgoing_mails').select('id').where('attempts', '=', 1).execute(),
    )
  await expect.poll(untried).toHaveLength(2)
  smtp.state.thinksUntil = Promise.resolve()
  clock.offset += 100_000
  await deliverElsewhere()
  const mailed = () => smtp.mails.flatMap(({ to }) => to.filter((one) => emails.includes(one)))
  expect(mailed()).toHaveLength(2)
  end.abort()
  await slowly
  expect(mailed().sort()).toEqual(emails.sort())
})

test('a mail that cannot be opened is tried later, and holds up no other', async () => {
  const { smtp, environment, scratch } = world()
  const emails = Array.from({ length: 3 }, () => `${randomUUID()}@bilkent.example`)
  await invite('damaged@bilkent.example', emails)
  const [, damaged = ''] = emails
  await scratch.db.transaction('system', async (tx) => {
    const ofIt = tx.updateTable('outgoing_mails').where('recipient', '=', recipientMark(environment, damaged))
    await ofIt.set({ sealed: Buffer.alloc(60) }).execute()
  })
  await deliverMails(environment)
  expect(smtp.mails.flatMap(({ to }) => to).filter((to) => emails.includes(to))).toHaveLength(2)
  const left = await scratch.db.read('system', (reader) =>
    reader.selectFrom('outgoing_mails').select(['recipient', 'attempts']).execute(),
  )
  expect(left).toEqual([{ recipient: recipientMark(environment, damaged), attempts: 2 }])
})

test('a mail of a team that is being deleted is not sent', async () => {
  const { smtp, clock, environment, scratch } = world()
  const email = `${randomUUID()}@bilkent.example`
  const teamId = await invite('ending@bilkent.example', [email])
  const close = (closed: Date | null) =>
    scratch.db.transaction('system', async (tx) => {
      await sql`update service.teams set closed = ${closed}::timestamptz where id = ${teamId}`.execute(tx)
    })
  const mailed = () => smtp.mails.filter(({ to }) => to.includes(email)).length
  await close(clock.now())
  await deliverMails(environment)
  expect(mailed()).toBe(0)
  await close(null)
  await deliverMails(environment)
  expect(mailed()).toBe(1)
})
