import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pages } from '../../pages/operations.js'
import type { TestTeam } from '../../platform/testing/scratch-database.js'
import { TestEcosystems } from '../testing.js'

const SCHEMA = 'https://schema.example/Degree.json'
/** Real names as people write them, in several scripts. */
const NAMES = [
  'Bilkent Üniversitesi',
  'İSTANBUL TEKNİK ÜNİVERSİTESİ',
  'ISPARTA UYGULAMALI BİLİMLER ÜNİVERSİTESİ',
  'Université de Strasbourg',
  'Uniwersytet Łódzki',
  'Universität Gießen',
  'Københavns Universitet',
  'Московский политехнический университет «Лицей»',
  'Εθνικό Μετσόβιο Πολυτεχνείο Αθήνας',
  'جامعة القاهرة',
  '東京大学',
]

let world: TestEcosystems
let owner: TestTeam
let registry: Hex32
const dids = new Map<string, Did>()
beforeAll(async () => {
  world = await TestEcosystems.open({}, [pages])
  owner = await world.team()
  const council = await world.organisation(owner, 'Council')
  registry = await world.registry(owner, council, 'Universities')
  for (const name of NAMES) {
    const did = await world.organisation(owner, name)
    dids.set(name, did)
    if (name === 'Universität Gießen') await world.accept(owner, owner, registry, did)
    else await world.block((block) => world.issuer(registry, SCHEMA, did, block))
  }
  await world.scratch.db.transaction('system', (tx) =>
    sql`insert into service.names_due select array_agg(${registry}::text), array_agg(d)
      from unnest(${[...dids.values()]}::text[]) as d`.execute(tx),
  )
})
afterAll(() => world?.close())

const list = (query: string) => world.call(owner, 'GET', `/trust-registries/${registry}/participants?${query}`)
async function found(search: string, more = ''): Promise<string[]> {
  const { status, body } = await list(`search=${encodeURIComponent(search)}${more}`)
  expect(status, JSON.stringify(body)).toBe(200)
  const names = body.list.map(({ name }: { name: string }) => name)
  if (more === '') expect(body.total).toBe(names.length)
  return names
}
async function onPage(search: string): Promise<string[]> {
  const { body } = await world.app.inject({ url: `/ecosystems/${registry}?search=${encodeURIComponent(search)}` })
  return NAMES.filter((name) => body.includes(`<bdi>${name}</bdi>`))
}

describe('participants', () => {
  test.each([
    ['universitesi', [0, 1, 2]],
    ['ÜNİVERSİTESİ', [0, 1, 2]],
    ['istanbul', [1]],
    ['İstanbul', [1]],
    ['ISTANBUL', [1]],
    ['ıstanbul', [1]],
    ['ısparta', [2]],
    ['isparta', [2]],
    ['Isparta', [2]],
    ['universite', [0, 1, 2, 3, 6]],
    ['strasbourg', [3]],
    ['lodzki', [4]],
    ['giessen', [5]],
    ['kobenhavns', [6]],
    ['u\u0308niversitesi', [0, 1, 2]],
    ['лицеи', [7]],
    ['εθνικο', [8]],
    ['ΑΘΉΝΑΣ', [8]],
    ['القاهِرة', [9]],
    ['東京', [10]],
    ['no such', []],
    ['%', []],
    ['_', []],
    ['\\', []],
    ['\u0301', []],
  ] as const)('are found by %s, in lists and on the page alike', async (search, expected) => {
    const names = expected.map((index) => NAMES[index])
    expect((await found(search)).sort()).toEqual([...names].sort())
    expect((await onPage(search)).sort()).toEqual([...names].sort())
  })

  test('are found by a part of their DID as it is written, by all of it, and by both conditions together', async () => {
    const did = String(dids.get('Bilkent Üniversitesi'))
    expect(await found(did.slice(-10))).toEqual(['Bilkent Üniversitesi'])
    expect((await list(`did=${did}`)).body).toMatchObject({ total: 1, list: [{ did }] })
    expect((await list(`did=${did}&search=lodzki`)).body).toEqual({ total: 0, list: [] })
    expect((await list(`did=${did}&schemaId=${encodeURIComponent(SCHEMA)}`)).body.total).toBe(1)
    expect((await list('did=did:web:example.org')).body).toEqual({ total: 0, list: [] })
    expect(await found('giessen', `&schemaId=${encodeURIComponent(SCHEMA)}`)).toEqual([])
  })

  test('are counted behind the last page too, and come newest first', async () => {
    expect((await list('search=universitesi&limit=2&offset=1')).body).toMatchObject({
      total: 3,
      list: [{ name: NAMES[1] }, { name: NAMES[0] }],
    })
    expect((await list('search=universitesi&offset=9')).body).toEqual({ total: 3, list: [] })
  })

  test('are not asked for by nothing, by what is no DID, or by too much', async () => {
    for (const query of ['search=', 'search=%20', 'did=', 'did=x', `search=${'a'.repeat(201)}`])
      expect((await list(query)).status, query).toBe(400)
    for (const length of [199, 200]) expect((await list(`search=${'a'.repeat(length)}`)).status).toBe(200)
  })
})
