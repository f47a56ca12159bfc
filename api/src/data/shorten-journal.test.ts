import { execFileSync } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { lstat, open, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { withSession } from '../accounts/people.testing.js'
import { entriesThatCount, tellJournal } from '../platform/database/tell-journal.js'
import { appendToJournal, type JournalEntry, readJournal } from '../platform/process/erasure-journal.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { journalWorld } from './journal.testing.js'
import { shortenJournal } from './shorten-journal.js'

const DAY_MS = 86_400_000
const world = forAllTests(() => journalWorld())
const journal = () => world().journal
beforeEach(() => rm(journal(), { force: true }))

const signIn = () => world().signInAnyone()
const rows = (text: string, ...values: unknown[]) => world().rows(text, ...values)
function shorten(erasureJournalDays: number): Promise<number> {
  const { environment } = world()
  return shortenJournal({ ...environment, config: { ...environment.config, erasureJournalDays } })
}

test('the journal loses the lines that are older than it is told to keep, and none without being told', async () => {
  const { session, email } = await signIn()
  expect((await withSession(world().app, session, 'POST', '/data/delete', { validation: email })).statusCode).toBe(200)
  const [deletion] = await readJournal(journal())
  const agedBy = (days: number) => ({
    ...deletion,
    at: new Date(world().clock.now().getTime() - days * 86_400_000).toISOString(),
  })
  await writeFile(journal(), [31, 29, 0].map((days) => `${JSON.stringify(agedBy(days))}\n`).join(''))
  const before = await readJournal(journal())
  expect(await shorten(0)).toBe(0)
  expect(await readJournal(journal())).toEqual(before)
  expect(await shorten(30)).toBe(1)
  expect(await readJournal(journal())).toEqual(before.slice(1))
  expect((await stat(journal())).mode & 0o777).toBe(0o600)
})

test('a host whose clock is years ahead takes no line out', async () => {
  const { session, email } = await signIn()
  await withSession(world().app, session, 'POST', '/data/delete', { validation: email })
  const { environment } = world()
  const clock = { ...environment.clock, now: () => new Date(Date.now() + 3650 * DAY_MS) }
  const config = { ...environment.config, erasureJournalDays: 30 }
  expect(await shortenJournal({ ...environment, clock, config })).toBe(0)
  expect(await readJournal(journal())).toHaveLength(1)
})

test('a line about another stays as long as that one, whatever clock told when', async () => {
  const at = (days: number) => new Date(world().clock.now().getTime() - days * DAY_MS).toISOString()
  const known = { number: 1, created: '2001-01-01T00:00:00Z' }
  const named = (id: string) => ({ id, transaction: { database: 'any', id: '7' } })
  const [old, recent] = [named(randomUUID()), named(randomUUID())]
  const kept: JournalEntry[] = [
    { ...recent, at: at(29), deletion: known },
    { ...recent, at: at(31), undone: true },
  ]
  const gone: JournalEntry[] = [
    { ...old, at: at(33), deletion: known },
    { ...old, at: at(32), stands: true },
  ]
  await appendToJournal(journal(), [...gone, ...kept])
  expect(await shorten(30)).toBe(2)
  expect(await readJournal(journal())).toEqual(kept)
})

test('a journal that is named by a link is shortened where it lies', async () => {
  const linked = `${journal()}.elsewhere`
  await symlink(linked, journal())
  const since = (at: string) => ({ id: randomUUID(), at, person: { number: 1, created: '2001-01-01T00:00:00Z' } })
  const recent = since(world().clock.now().toISOString())
  await appendToJournal(journal(), [since('2001-01-01T00:00:00.000Z'), recent])
  expect(await shorten(30)).toBe(1)
  expect((await lstat(journal())).isSymbolicLink()).toBe(true)
  expect(await readJournal(linked)).toEqual([recent])
  await rm(linked)
})

test('a line stays that is added once the shortening of the journal has lost its connection', async () => {
  const old = {
    id: randomUUID(),
    at: '2001-01-01T00:00:00.000Z',
    person: { number: 1, created: '2001-01-01T00:00:00Z' },
  }
  const added = { ...old, id: randomUUID(), at: world().clock.now().toISOString() }
  // The shortening waits in its reading, until somebody writes.
  execFileSync('mkfifo', [journal()])
  const failed = expect(shorten(30)).rejects.toThrow()
  const ofHolder = `from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and locktype = 'advisory' and mode = 'ExclusiveLock' and granted`
  await expect.poll(() => rows(`select l.pid ${ofHolder}`)).toHaveLength(1)
  await rows(`select pg_terminate_backend(l.pid) ${ofHolder}`)
  await expect.poll(() => rows(`select ${ofHolder}`)).toEqual([])
  const pipe = await open(journal(), 'w')
  await writeFile(`${journal()}.now`, `${JSON.stringify(old)}\n`)
  await rename(`${journal()}.now`, journal())
  await appendToJournal(journal(), [added])
  await pipe.writeFile(`${JSON.stringify(old)}\n`)
  await pipe.close()
  await failed
  expect(await readJournal(journal())).toEqual([old, added])
})

test('lines that some add stay, each once, while others take older ones out, and undone ones do not count', async () => {
  const { environment } = world()
  const stay: string[] = []
  /** Tells of a deletion by a clock that is some days late, in a transaction that is undone now and then. */
  const tell = async (daysLate: number, isUndone: boolean) => {
    const id = randomUUID()
    const clock = { ...environment.clock, now: () => new Date(environment.clock.now().getTime() - daysLate * DAY_MS) }
    const deletion = { number: randomInt(2 ** 40), created: '2001-01-01T00:00:00.000Z' }
    await environment.db.transaction('system', async (tx) => {
      await tellJournal(tx, { ...environment, clock }, [{ id, deletion }])
      await setTimeout(randomInt(4))
      if (isUndone) throw new Error('undone on purpose')
    })
    if (daysLate < 30) stay.push(id)
  }
  const tellOften = async () => {
    for (let n = 0; n < 40; n++) {
      const isUndone = n % 5 === 4
      const told = tell(n % 2 === 0 ? 31 : 0, isUndone)
      await (isUndone ? expect(told).rejects.toThrow('undone on purpose') : told)
    }
  }
  let isTold = false
  let taken = 0
  const shortenOften = async () => {
    while (!isTold) {
      const lines = await shorten(30)
      taken += lines
    }
  }
  const told = Promise.all(Array.from({ length: 4 }, tellOften)).finally(() => {
    isTold = true
  })
  await Promise.all([told, shortenOften(), shortenOften()])
  expect(taken).toBeGreaterThan(0)
  await shorten(30)
  const ids = entriesThatCount(await readJournal(journal())).map(({ id }) => id)
  expect(ids.sort()).toEqual(stay.sort())
  expect(stay).toHaveLength(4 * 16)
})
