import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { appendToJournal } from '../api/src/platform/process/erasure-journal.js'
import { root } from '../test/support/repository-files.js'
import { addJournal, countLines } from './backup/journal.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-journal-'))
})
afterAll(() => rm(folder, { recursive: true }))

const line = (key: string, minute: number, ends: string | null = null): string =>
  `${JSON.stringify({ id: `svc_api_${key.repeat(4)}`, at: `2026-01-01T00:0${minute}:00.000Z`, key: { ends } })}\n`
const here = () => join(folder, 'here.jsonl')
const elsewhere = () => join(folder, 'elsewhere.jsonl')

it('a journal from elsewhere is added to the one of the place by time, each line once', async () => {
  const [first, second, third] = [line('a', 1), line('b', 2), line('a', 3, '2026-01-01T00:00:00Z')]
  await writeFile(elsewhere(), `${first}${second}{"id":"cut off`)
  await addJournal(root, elsewhere(), here())
  expect(await readFile(here(), 'utf8')).toBe(first + second)
  await writeFile(elsewhere(), second)
  await writeFile(here(), first + third)
  await addJournal(root, elsewhere(), here())
  expect(await readFile(here(), 'utf8')).toBe(first + second + third)
  await addJournal(root, here(), here())
  expect(await readFile(here(), 'utf8')).toBe(first + second + third)
})

it('lines of one journal keep their order, whatever the clocks of their hosts told', async () => {
  const [ends, revoked, other] = [
    line('a', 3, '2027-01-01T00:00:00Z'),
    line('a', 1, '2026-01-01T00:00:00Z'),
    line('b', 2),
  ]
  const [from, to] = [join(folder, 'clocks.jsonl'), join(folder, 'clocks-here.jsonl')]
  await writeFile(from, ends + revoked)
  await addJournal(root, from, to)
  expect(await readFile(to, 'utf8')).toBe(ends + revoked)
  await writeFile(to, ends)
  await addJournal(root, from, to)
  expect(await readFile(to, 'utf8')).toBe(ends + revoked)
  await writeFile(from, ends)
  await addJournal(root, from, to)
  expect(await readFile(to, 'utf8')).toBe(ends + revoked)
  await writeFile(from, ends + revoked)
  await writeFile(to, other + ends + revoked)
  await addJournal(root, from, to)
  expect(await readFile(to, 'utf8')).toBe(other + ends + revoked)
})

it('a journal is added whose service went on after a line that was cut off', async () => {
  const file = join(folder, 'torn.jsonl')
  await writeFile(file, `${line('a', 1)}{"id":"cut`)
  await appendToJournal(file, [JSON.parse(line('b', 2))])
  const place = join(folder, 'torn-here.jsonl')
  await addJournal(root, file, place)
  await addJournal(root, file, place)
  expect(await readFile(place, 'utf8')).toBe(line('a', 1) + line('b', 2))
  // One that was added while the other was being cut off.
  await writeFile(file, `${line('a', 1)}${line('c', 3).slice(0, 9)}${line('b', 2)}`)
  await addJournal(root, file, place)
  expect(await readFile(place, 'utf8')).toBe(line('a', 1) + line('b', 2))
})

it('a journal that a link names gets lines where it lies', async () => {
  const [from, target, link] = ['from', 'target', 'link'].map((name) => join(folder, `${name}.jsonl`)) as [
    string,
    string,
    string,
  ]
  await writeFile(from, line('b', 2))
  await writeFile(target, line('a', 1))
  await symlink(target, link)
  await addJournal(root, from, link)
  expect(await readFile(target, 'utf8')).toBe(line('a', 1) + line('b', 2))
})

it('a line whose end is damaged is refused, and not passed over as one that was cut off', async () => {
  const file = join(folder, 'damaged.jsonl')
  for (const end of ['\n', '\n\n']) {
    await writeFile(file, `${line('a', 1).trimEnd()}x${line('b', 2).trimEnd()}${end}`)
    await expect(countLines(root, [file])).rejects.toThrow('Line 1 of')
  }
})

it('a journal that is missing or damaged is refused, and the one of the place stays', async () => {
  await writeFile(here(), line('a', 1))
  await expect(addJournal(root, join(folder, 'none'), here())).rejects.toThrow(/none cannot be read: ENOENT/)
  await writeFile(elsewhere(), `${line('b', 2)}nothing of a journal\n`)
  await expect(addJournal(root, elsewhere(), here())).rejects.toThrow(/Line 2 of .* is no line of a journal/)
  await writeFile(elsewhere(), line('b', 2).replace('"key"', '"team"'))
  await expect(addJournal(root, elsewhere(), here())).rejects.toThrow(/Line 1 of .* is no line of a journal/)
  expect(await readFile(here(), 'utf8')).toBe(line('a', 1))
})
