import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ReadyFile } from './start/ready-file.js'
import { writePrivately } from './start/settings.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-ready-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const place = { apiUrl: 'http://x', apiKey: 'k', ledgerUrl: 'ws://x', databaseUrl: 'postgres://x' }
const pidsIn = async () => JSON.parse(await readFile(join(folder, 'ready.json'), 'utf8')).pids

test('of processes that fall at once the newest list stays, and none comes back after the file was removed', async () => {
  const file = new ReadyFile(folder)
  const falls = (count: number) =>
    Array.from({ length: count }, (_, fallen) => file.write({ ...place, pids: () => ({ fallen }) }))
  await Promise.all(falls(50))
  expect(await pidsIn()).toEqual({ supervisor: process.pid, fallen: 49 })
  const late = falls(5)
  await file.remove()
  await Promise.all(late)
  expect(await readdir(folder)).toEqual([])
})

test('what is written to one file at once is written whole, by each', async () => {
  const path = join(folder, 'settings.json')
  const texts = Array.from({ length: 50 }, (_, n) => String(n).repeat(1000))
  await Promise.all(texts.map((text) => writePrivately(path, text)))
  expect(texts).toContain(await readFile(path, 'utf8'))
  await rm(path)
  expect(await readdir(folder)).toEqual([])
})
