import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { recipientMark } from '../accounts/mail/mail.store.js'
import { withSession } from '../accounts/people.testing.js'
import { appendToJournal } from '../platform/process/erasure-journal.js'
import { waiting } from '../platform/testing/at-once.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { kill, workerProcesses } from '../platform/testing/worker-process.js'
import { journalWorld, whileJournalIsInUse } from './journal.testing.js'

const world = forAllTests(async () => {
  const opened = await journalWorld()
  const { scratch, smtp, journal } = opened
  const workers = await workerProcesses(scratch, { SMTP_URL: smtp.url, ERASURE_JOURNAL_FILE: journal })
  return {
    ...opened,
    workers,
    async close() {
      await Promise.all([workers.close(), opened.close()])
    },
  }
})
beforeEach(() => rm(world().journal, { force: true }))

const rows = (text: string, ...values: unknown[]) => world().rows(text, ...values)

/** Starts the worker's process. `isReady` tells whether it does what reaches people. */
function startWorker() {
  const { child, ready } = world().workers.start()
  onTestFinished(() => kill(child))
  let isReady = false
  return { ready: ready.then(() => (isReady = true)), isReady: () => isReady }
}

/** Invites somebody by a mail that was tried once, and is due since an hour. */
async function invite(): Promise<string> {
  const { app, smtp, delivered, signInAnyone } = world()
  const [{ session, teamId }, email] = [await signInAnyone(), `${randomUUID()}@company.example`]
  smtp.state.refuses = true
  expect((await withSession(app, session, 'POST', `/teams/${teamId}/invite`, { emails: [email] })).statusCode).toBe(200)
  await delivered()
  smtp.state.refuses = false
  await rows(`update service.outgoing_mails set next_attempt = now() - interval '1 hour' where team_id = $1`, teamId)
  return email
}

const mailsTo = (email: string) => world().smtp.mails.filter(({ to }) => to.includes(email))
const waitingMails = (email: string) =>
  rows('select from service.outgoing_mails where recipient = $1', recipientMark(world().environment, email))

test('a mail of a restored copy is not sent before the worker has looked at the journal', async () => {
  const email = await invite()
  const { environment, journal } = world()
  const address = recipientMark(environment, email).toString('hex')
  const at = environment.clock.now().toISOString()
  await appendToJournal(journal, [{ id: randomUUID(), at, person: { number: 2 ** 40, created: at, address } }])
  let [hold, letGo] = [() => {}, () => {}]
  const isHeld = new Promise<void>((resolve) => {
    hold = resolve
  })
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const held = environment.db.transaction('system', async (tx) => {
    await sql`select from service.team_invitations where email = ${email} for update`.execute(tx)
    hold()
    await isLetGo
  })
  await isHeld
  const worker = startWorker()
  try {
    await expect.poll(() => waiting(world().scratch)).toBeGreaterThan(0)
    expect(await waitingMails(email)).toHaveLength(1)
    expect(worker.isReady()).toBe(false)
  } finally {
    letGo()
    await held
  }
  await worker.ready
  expect(await waitingMails(email)).toEqual([])
  expect(mailsTo(email)).toEqual([])
})

test('a damaged journal holds up no mail', async () => {
  const email = await invite()
  await writeFile(world().journal, 'no line\n')
  await startWorker().ready
  await expect.poll(() => mailsTo(email)).toHaveLength(1)
})

test('a worker that waits for its first look ends with its supervisor', async () => {
  const { writer, scratch, workers } = world()
  await whileJournalIsInUse(writer, async () => {
    const { child } = workers.start({ supervised: true })
    onTestFinished(() => kill(child))
    await expect.poll(() => waiting(scratch)).toBeGreaterThan(0)
    child.stdin?.end()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

test('a request sends its own mail, and leaves those of a restored copy to the worker', async () => {
  const [email, other] = [await invite(), `${randomUUID()}@company.example`]
  const { app } = world()
  expect((await withSession(app, undefined, 'POST', '/auth/links', { email: other })).statusCode).toBe(200)
  await expect.poll(() => waitingMails(other)).toEqual([])
  expect(mailsTo(other)).toHaveLength(1)
  expect(await waitingMails(email)).toHaveLength(1)
  expect(mailsTo(email)).toEqual([])
})
