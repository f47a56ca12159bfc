import { randomUUID } from 'node:crypto'
import { mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { appendToJournal, type JournalEntry, readJournal, shortenTo } from './erasure-journal.js'

let folder: string
let journal: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-journal-'))
  journal = join(folder, 'erasures.jsonl')
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(() => rm(journal, { force: true }))

const OLD = '2001-01-01T00:00:00.000Z'
const lineOf = (at = '2026-01-01T00:00:00.000Z'): JournalEntry => ({
  id: randomUUID(),
  at,
  deletion: { number: 1, created: OLD },
})
const linesOf = (count: number) => Array.from({ length: count }, () => lineOf())
const idsOf = (entries: readonly JournalEntry[]) => entries.map(({ id }) => id).sort()

test('lines that are added together stay together, however many, and beside those of others', async () => {
  // Half a megabyte and more in each.
  const many = Array.from({ length: 4 }, () => linesOf(5_000))
  const single = linesOf(400)
  const addSingle = async () => {
    for (const line of single) await appendToJournal(journal, [line])
  }
  await Promise.all([addSingle(), ...many.map((lines) => appendToJournal(journal, lines))])
  const entries = await readJournal(journal)
  expect(idsOf(entries)).toEqual(idsOf([...many.flat(), ...single]))
  for (const lines of many) {
    const begin = entries.findIndex(({ id }) => id === lines[0]?.id)
    expect(entries.slice(begin, begin + lines.length)).toEqual(lines)
  }
})

test('a line stays that is added while a shortening goes on that has lost its hold', async () => {
  const added = linesOf(300)
  let isAdded = false
  const add = async (lines: JournalEntry[]) => {
    for (const line of lines) await appendToJournal(journal, [line])
  }
  const shorten = async () => {
    let taken = 0
    while (!isAdded) {
      await appendToJournal(journal, [lineOf(OLD)])
      const recent = (entries: JournalEntry[]) => entries.filter(({ at }) => at !== OLD)
      taken += await shortenTo(journal, recent, async () => {})
    }
    return taken
  }
  const adding = Promise.all([0, 1, 2].map((n) => add(added.slice(n * 100, n * 100 + 100)))).finally(() => {
    isAdded = true
  })
  const [taken] = await Promise.all([shorten(), adding])
  expect(taken).toBeGreaterThan(0)
  const found = new Set(idsOf(await readJournal(journal)))
  expect(added.filter(({ id }) => !found.has(id))).toEqual([])
})

test('a line that was written into a journal which another one replaced meanwhile is in that one, too', async () => {
  const probe = await open(journal, 'a')
  await probe.close()
  const replaced = vi.spyOn(Object.getPrototypeOf(probe), 'sync').mockImplementationOnce(async () => {
    await writeFile(`${journal}.next`, '')
    await rename(`${journal}.next`, journal)
  })
  const line = lineOf()
  await appendToJournal(journal, [line])
  replaced.mockRestore()
  expect(await readJournal(journal)).toEqual([line])
})

test('of two shortenings at once, the one that lost its hold changes nothing', async () => {
  const [old, kept] = [lineOf(OLD), lineOf()]
  await appendToJournal(journal, [old, kept])
  const recent = (entries: JournalEntry[]) => entries.filter(({ at }) => at !== OLD)
  const added = lineOf()
  const meanwhile = async () => {
    expect(await shortenTo(journal, recent, async () => {})).toBe(1)
    await appendToJournal(journal, [added])
  }
  await expect(shortenTo(journal, recent, meanwhile)).rejects.toThrow('Another one has shortened')
  expect(await readJournal(journal)).toEqual([kept, added])
  expect(await readdir(folder)).toEqual(['erasures.jsonl'])
})
