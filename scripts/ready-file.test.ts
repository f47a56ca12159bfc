import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GUARD, keyLine, ReadyFile } from './start/state/ready-file.js'
import { writePrivately } from './start/state/settings.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-ready-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const places = { apiUrl: 'http://x', apiKey: 'k', ledgerUrl: 'ws://x', databaseUrl: 'postgres://x' }
const place = { ...places, ownLedgerUrl: 'ws://x/token' }
const pidsIn = async () => JSON.parse(await readFile(join(folder, 'ready.json'), 'utf8')).pids

test('the newest list stays when several processes fall at once, and none comes back after the file was removed', async () => {
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

const WRITER = `
  const { ReadyFile } = await import('./scripts/dist/start/state/ready-file.js')
  await new ReadyFile(process.argv[1]).write({ apiUrl: '', apiKey: '', ledgerUrl: '', ownLedgerUrl: '', databaseUrl: '', pids: () => ({}) })
  console.log('written')
  setInterval(() => {}, 1000)`

async function killedAfterWriting(): Promise<number> {
  const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, folder])
  await once(writer.stdout, 'data')
  expect(await pidsIn()).toEqual({ supervisor: writer.pid })
  const ended = once(writer, 'exit')
  writer.kill('SIGKILL')
  await ended
  return writer.pid ?? 0
}

test('a killed supervisor leaves no valid ready file', async () => {
  await killedAfterWriting()
  await expect.poll(() => readdir(folder)).toEqual([])
})

test('the file of a later start outlives the end of an earlier one', async () => {
  const path = join(folder, 'ready.json')
  await writeFile(path, JSON.stringify({ pids: { supervisor: 11, api: 1 } }, null, 2))
  const guardOf = (supervisor: number) => spawnSync('/bin/sh', ['-c', GUARD, path, String(supervisor)], { input: '' })
  guardOf(1)
  expect(await pidsIn()).toEqual({ supervisor: 11, api: 1 })
  guardOf(11)
  expect(await readdir(folder)).toEqual([])
})

test('simultaneous writes to one file are each whole', async () => {
  const path = join(folder, 'settings.json')
  const texts = Array.from({ length: 50 }, (_, n) => String(n).repeat(1000))
  await Promise.all(texts.map((text) => writePrivately(path, text)))
  expect(texts).toContain(await readFile(path, 'utf8'))
  await rm(path)
  expect(await readdir(folder)).toEqual([])
})

test('the printed list of keys names the kind of each, and the rights of its role', () => {
  const listed = { key: 'ak_test_0123', team: 1, created: '2026-01-01', alias: 'press', expires: null }
  const told = (more: object) => keyLine({ ...listed, ...more }).split('  ')[1]
  expect(told({ kind: 'api', role: 'owner' })).toBe('key of an owner, team 1, made 2026-01-01, "press"')
  expect(told({ kind: 'api', role: 'member' })).toContain('key of a member, ')
  expect(told({ kind: 'sponsor', role: 'member' })).toMatch(/^sponsor's key, team 1/)
})
