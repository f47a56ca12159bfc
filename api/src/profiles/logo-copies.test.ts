import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedDid } from '../dids/testing.js'
import { FetchRefused, guardedFetcher } from '../platform/security/guarded-fetch.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testEnvironment,
  testTeam,
} from '../platform/testing/scratch-database.js'
import { maxLogoBytes } from './logo.js'
import { findLogo } from './logo.store.js'
import { copyLogos, ownLogos } from './logo-copies.js'
import { sweepLogos } from './logo-sweep.js'
import { putProfile } from './profile.store.js'

const API = 'https://api.example'
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 7])
const ofSize = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)])
const PATHS: Record<string, Buffer> = {
  '/logo.png': PNG,
  '/largest.png': ofSize(maxLogoBytes),
  '/larger.png': ofSize(maxLogoBytes + 1),
  '/page.png': Buffer.from('<html><script>alert(1)</script>'),
}

let scratch: ScratchDatabase
let team: TestTeam
let asked: string[] = []
const now = { value: new Date('2026-03-01T00:00:00Z') }
const clock = { now: () => now.value }
const host = createServer((request, response) => {
  const path = request.url ?? ''
  asked.push(path)
  const bytes = PATHS[path]
  response.writeHead(bytes ? 200 : 404).end(bytes)
})
beforeAll(async () => {
  scratch = await serviceDatabase()
  team = await testTeam(scratch.db)
  await new Promise<void>((ready) => host.listen(0, '127.0.0.1', ready))
})
afterAll(async () => {
  host.close()
  await scratch.close()
})

/** The guard is the real one, except that it finds the hosts of https addresses in this test's own server. */
const fetchHere = guardedFetcher({ isAllowed: (address) => address === '127.0.0.1', protocols: ['http:'] })
const guardedFetch: typeof fetchHere = (url, limits) => {
  const { port } = host.address() as AddressInfo
  const { hostname, pathname } = new URL(url)
  if (hostname !== 'logos.example') throw new FetchRefused('the host is unknown')
  return fetchHere(`http://127.0.0.1:${port}${pathname}`, limits)
}
const sweep = async () => {
  asked = []
  const environment = testEnvironment(scratch, { clock, guardedFetch })
  await copyLogos({ ...environment, config: { ...environment.config, apiUrl: API } })
  return asked.sort()
}
const laterBy = (days: number) => {
  now.value = new Date(now.value.getTime() + days * 86_400_000)
}
const url = (path: string) => `https://logos.example${path}`

async function profile(logo: string, of = team): Promise<string> {
  const did = await storedDid(scratch, of)
  const version = { did, team: of.team, name: 'A', description: '', logo, now: clock.now() }
  await scratch.db.transaction('system', (tx) => putProfile(tx, version))
  return did
}
const shown = (...urls: string[]) => scratch.db.read('public', (reader) => ownLogos(reader, urls, API))

test('logos on other hosts are fetched once and shown from our own address; what is no picture is not', async () => {
  for (const path of Object.keys(PATHS)) await profile(url(path))
  await profile(url('/logo.png'))
  await profile('http://logos.example/plain.png')
  await profile('https://elsewhere.example/logo.png')
  await profile(`${API}/logos/${'a'.repeat(64)}`)
  expect(await sweep()).toEqual(Object.keys(PATHS).sort())
  const all = await shown(...Object.keys(PATHS).map(url), 'https://elsewhere.example/logo.png', '')
  expect([...all.keys()].sort()).toEqual([url('/largest.png'), url('/logo.png')])
  const sha256 = all.get(url('/logo.png'))?.slice(`${API}/logos/`.length) ?? ''
  expect(await scratch.db.read('public', (reader) => findLogo(reader, sha256))).toEqual({
    mediaType: 'image/png',
    bytes: PNG,
  })
  expect((await shown(`${API}/logos/${'a'.repeat(64)}`)).size).toBe(1)
  expect(await sweep()).toEqual([])
})

test('a logo of another Accredit, or of this one under an earlier address, is copied; one that is here is not asked for', async () => {
  const path = `/logos/${'b'.repeat(64)}`
  PATHS[path] = ofSize(50)
  await profile(url(path))
  await profile(`${API}${path}`)
  expect(await sweep()).toEqual([path])
  const { rows } = await scratch.db.read('system', (reader) =>
    sql`select from service.logo_copies where url = ${`${API}${path}`} and tried is not null`.execute(reader),
  )
  expect([[...(await shown(url(path))).keys()], rows]).toEqual([[url(path)], []])
  await scratch.db.transaction('system', (tx) =>
    sql`delete from profiles where logo_url like ${`%${path}`}`.execute(tx),
  )
  await sweepLogos(testEnvironment(scratch, { clock }))
})

test('a failed fetch is tried again after a day, a copy is renewed after a month, and it stays when that fails', async () => {
  laterBy(1)
  expect(await sweep()).toEqual([])
  laterBy(0.01)
  expect(await sweep()).toEqual(['/larger.png', '/page.png'])
  laterBy(30)
  delete PATHS['/logo.png']
  expect(await sweep()).toEqual(['/larger.png', '/largest.png', '/logo.png', '/page.png'])
  expect((await shown(url('/logo.png'))).size).toBe(1)
})

test('teams have their turns, however many addresses one of them names', async () => {
  const [greedy, modest] = [await testTeam(scratch.db), await testTeam(scratch.db)]
  for (let n = 0; n < 40; n++) await profile(url(`/greedy/${n}`), greedy)
  await profile(url('/zzz'), modest)
  const first = await sweep()
  expect([first.length, first.includes('/zzz')]).toEqual([16, true])
  while ((await sweep()).length > 0) expect(asked.length).toBeLessThanOrEqual(16)
})

test('a copy is kept as long as its address stands somewhere, and no longer', async () => {
  const [lonely] = [url('/lonely.png')]
  PATHS['/lonely.png'] = ofSize(99)
  const did = await profile(lonely)
  await sweep()
  const [logo] = [...(await shown(lonely)).values()]
  const kept = () => scratch.db.read('public', (reader) => findLogo(reader, logo?.slice(`${API}/logos/`.length) ?? ''))
  laterBy(2)
  await sweepLogos(testEnvironment(scratch, { clock }))
  expect(await kept()).toBeDefined()
  await scratch.db.transaction('system', (tx) => sql`delete from profiles where did = ${did}`.execute(tx))
  await sweepLogos(testEnvironment(scratch, { clock }))
  expect([await kept(), (await shown(lonely)).size]).toEqual([undefined, 0])
})
