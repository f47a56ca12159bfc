import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { mailServer } from '../accounts/mail/mail-server.testing.js'
import { queueMail } from '../credentials/delivery/mail.store.js'
import { appendToJournal, type JournalEntry } from '../platform/process/erasure-journal.js'
import { waiting } from '../platform/testing/at-once.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { type TestTeam, testContext } from '../platform/testing/scratch-database.js'
import { kill, workerProcesses } from '../platform/testing/worker-process.js'
import { openDeliveries } from '../webhooks/testing.js'
import { namedInJournal, whileJournalIsInUse } from './journal.testing.js'
import { RowWriter } from './rows.testing.js'

const world = forAllTests(async () => {
  const [opened, smtp, folder] = await Promise.all([openDeliveries(), mailServer(), mkdtemp(join(tmpdir(), 'held-'))])
  const journal = join(folder, 'erasures.jsonl')
  const writer = await RowWriter.open(opened.scratch.adminUrl)
  const workers = await workerProcesses(opened.scratch, { SMTP_URL: smtp.url, ERASURE_JOURNAL_FILE: journal })
  return {
    ...opened,
    smtp,
    journal,
    writer,
    workers,
    async close() {
      await Promise.all([workers.close(), writer.close(), smtp.close()])
      await opened.close()
      await rm(folder, { recursive: true })
    },
  }
})

/** The mails are told of the end: the next look without that comes half a minute later. */
const SOON = { timeout: 25_000 }

/** A person who was erased after the copy was made. */
const ERASED = 'did:example:ada'
/** The number of each kind that waits: more than leave at once. */
const MANY = 40

/** A team of a copy, with a receiver, and events and mails that wait about somebody who was erased and somebody else. */
async function copiedTeam() {
  const { scratch, environment, smtp, hook, receiver: newReceiver, team: newTeam } = world()
  const [team, receiver] = [await newTeam(), await newReceiver()]
  await hook(team, receiver.url)
  const [gone, other] = [`${randomUUID()}@erased.example`, `${randomUUID()}@company.example`]
  const people = Array.from({ length: MANY }, () => ({ about: ERASED, to: gone }))
  people.push({ about: 'did:example:bob', to: other })
  const context = testContext(scratch, team, environment)
  await scratch.db.transaction('system', async (tx) => {
    for (const [at, { about, to }] of people.entries()) {
      const credential = { id: `urn:uuid:${randomUUID()}` }
      await queueMail(tx, context, { to, language: 'en', issuer: 'University', credential }, [about])
      await tx.emitAll([
        { team: team.team, event: 'did_create', data: { about }, resource: `did:${at}`, about: [about] },
      ])
    }
  })
  const told = () => receiver.received.map(({ data }) => data.about)
  const mailed = () => smtp.mails.flatMap(({ to }) => to).filter((to) => to === gone || to === other)
  return { team, told, mailed, gone, other }
}

async function tell({ team }: TestTeam, what: 'erasure' | 'deletion'): Promise<void> {
  const { writer, environment, journal } = world()
  const known = await namedInJournal(writer, team)
  const marks = environment.events.marksOf(team, [ERASED]).map((mark) => mark.toString('hex'))
  const at = environment.clock.now().toISOString()
  const entry: JournalEntry =
    what === 'deletion'
      ? { id: randomUUID(), at, deletion: known }
      : { id: randomUUID(), at, erasure: { ...known, marks } }
  await appendToJournal(journal, [entry])
}

function startWorker(): Promise<void> {
  const { child, ready } = world().workers.start()
  onTestFinished(() => kill(child))
  return ready
}

test('nothing leaves a copy before the look at the journal, and afterwards nothing about somebody who was erased', async () => {
  const { team, told, mailed, other } = await copiedTeam()
  await tell(team, 'erasure')
  const { writer, scratch } = world()
  const worker = await whileJournalIsInUse(writer, async () => {
    const ready = startWorker()
    await expect.poll(() => waiting(scratch)).toBeGreaterThan(0)
    await setTimeout(500)
    expect([told(), mailed()]).toEqual([[], []])
    return { ready }
  })
  await worker.ready
  await expect.poll(() => [told(), mailed()], SOON).toEqual([['did:example:bob'], [other]])
})

test('an erasure that was begun goes on before what waits leaves', async () => {
  const { team, told, mailed, other } = await copiedTeam()
  const { writer, environment } = world()
  await writer.query('insert into service.erasures (id, team_id, started, marks) values ($1, $2, now(), $3)', [
    randomUUID(),
    team.team,
    environment.events.marksOf(team.team, [ERASED]),
  ])
  await startWorker()
  await expect.poll(() => [told(), mailed()], SOON).toEqual([['did:example:bob'], [other]])
})

test('nothing leaves a team that was deleted, and other teams go on', async () => {
  const [deleted, lasting] = [await copiedTeam(), await copiedTeam()]
  await tell(deleted.team, 'deletion')
  await startWorker()
  await expect.poll(() => [lasting.told().length, lasting.mailed().length]).toEqual([MANY + 1, MANY + 1])
  expect([deleted.told(), deleted.mailed()]).toEqual([[], []])
})
