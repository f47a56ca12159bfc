import { type Did, schemaId } from '@accredit/chain'
import { expect, test } from 'vitest'
import { TEXTS } from '../testing.js'
import { OPEN_SCHEMA, priceTests } from './prices.testing.js'

const { world, here, path, price, unprice, pricesOf, anywhere, repriced } = priceTests()

/** Counts the rows that a request may leave behind. */
async function stored(): Promise<unknown[]> {
  const tables = ['jobs', 'ledger_actions', 'verifier_prices', 'schema_uris'] as const
  return world().scratch.db.read('system', (reader) =>
    Promise.all(
      tables.map((table) =>
        reader
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as('n'))
          .executeTakeFirst(),
      ),
    ),
  )
}

test('an issuer sets and takes back its own price, signed by itself; the convener that of others', async () => {
  const { owner, convener, guest, issuer } = here()
  const set = await price(guest, { currency: 'EUR', digits: '1500000' })
  expect(set).toMatchObject({ status: 200, body: {}, pending: true })
  const { did, calls } = await world().action(set.job)
  expect(did).toBe(issuer)
  expect(JSON.stringify(calls)).toMatch(/"Modify":\{"EUR":\{"Set":1500000\}\}/)
  await repriced(set.job, { EUR: '1500000' })
  const byConvener = await price(owner, { currency: 'EUR', digits: 0, issuerDID: issuer })
  expect(await world().action(byConvener.job)).toMatchObject({ did: convener })
  const removed = await unprice(guest, 'currency=EUR')
  expect(removed).toMatchObject({ status: 200, body: {}, pending: true })
  expect(JSON.stringify(await world().action(removed.job))).toMatch(/"EUR":"Remove"/)
})

test('a price builds on pending changes, also for an issuer that is pending itself', async () => {
  const { owner, convener, registry, degree, guest, verifier } = here()
  expect((await price(guest, { currency: 'EUR', digits: 500 })).status).toBe(200)
  // The index shows no price yet, and the removal takes effect all the same.
  const removed = await unprice(guest, 'currency=EUR')
  expect(removed.status).toBe(200)
  expect(JSON.stringify(await world().action(removed.job))).toMatch(/"EUR":"Remove"/)
  expect((await unprice(guest, 'currency=EUR')).status).toBe(404)

  const { body } = await world().call(owner, 'GET', `/trust-registries/${registry}/participants`)
  const { id } = body.list.find(({ did }: { did: string }) => did === verifier)
  const url = `/trust-registries/${registry}/participants/${id}`
  const own = { currency: 'EUR', digits: 500, issuerDID: verifier }
  expect((await price(owner, own)).status).toBe(404)
  await world().call(owner, 'PATCH', url, { issuerSchemas: [degree] })
  // The price comes behind the convener's own action, and so is signed by it.
  expect(await world().action((await price(owner, own)).job)).toMatchObject({ did: convener })
  expect((await price(owner, { ...own, verifier })).status).toBe(404)
  await world().call(owner, 'PATCH', url, { issuerSchemas: [] })
  expect((await price(owner, own)).status).toBe(404)
})

test('an issuer’s prices that are set at the same moment are in no more currencies than there may be', async () => {
  const { guest } = here()
  const many = Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`C${n}`, '500']))
  await repriced((await price(guest, { currency: 'C0', digits: 500 })).job, many)
  const answers = await Promise.all(['D1', 'D2', 'D3'].map((currency) => price(guest, { currency, digits: 500 })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
})

test('a price is shown from its block on, to whom it concerns everywhere, and a page as it was', async () => {
  const { owner, registry, degree, guest, issuer } = here()
  const set = await price(guest, { currency: 'EUR', digits: 1_500_000 })
  expect([await pricesOf(owner), await anywhere(owner)]).toEqual([[], []])
  const height = await repriced(set.job, { EUR: '1500000' })
  const shown = { currency: 'EUR', digits: '1500000', issuerDID: issuer }
  const stranger = await world().team()
  expect(await pricesOf(guest)).toEqual([shown])
  expect(await anywhere(stranger)).toMatchObject([
    { ...shown, trustRegistryId: registry, trustRegistryMetadata: { name: `Registry ${owner.team}`, ...TEXTS } },
  ])
  const { body } = await world().call(owner, 'GET', `/trust-registries/${registry}/participants`)
  const ofIssuer = body.list.find(({ did }: { did: string }) => did === issuer)
  expect(ofIssuer.prices).toEqual([{ schema: degree, currency: 'EUR', digits: '1500000' }])

  const free = await repriced((await price(guest, { currency: 'EUR', digits: 0 })).job, { EUR: '0' })
  const unpriced = await repriced((await unprice(guest, 'currency=EUR')).job, {})
  const told = async (at: number) => (await pricesOf(guest, `at=${at}`)).map((one: { digits: string }) => one.digits)
  expect([await told(height - 1), await told(height), await told(free), await told(unpriced)]).toEqual([
    ...[[], ['1500000'], ['0'], []],
  ])
  expect(await anywhere(stranger, `&at=${height}`)).toHaveLength(1)
  expect(await anywhere(stranger, `&at=${height - 1}`)).toEqual([])
})

test('prices are read page by page, and of one issuer', async () => {
  const { owner, registry, degree, issuer, verifier } = here()
  await world().block(async (block) => {
    const place = { registry_id: registry, schema_id: schemaId(degree), from_block: block, to_block: null }
    const prices = { CHF: '1', EUR: '2', USD: '3' }
    await world().ledger.row('issuer', { ...place, did: verifier, prices })
  })
  const currencies = async (query: string) =>
    (await anywhere(owner, query)).map(({ currency }: { currency: string }) => currency)
  const of = `&issuerDID=${verifier}`
  expect(await currencies(of)).toEqual(['CHF', 'EUR', 'USD'])
  expect(await currencies(`${of}&limit=2`)).toEqual(['CHF', 'EUR'])
  expect(await currencies(`${of}&limit=2&offset=2`)).toEqual(['USD'])
  expect(await currencies(`&issuerDID=${issuer}`)).toEqual([])
})

test('an issuer has prices in at most 25 currencies; one that it has may be changed', async () => {
  const { guest } = here()
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`C${n}`, '500']))
  await repriced((await price(guest, { currency: 'C0', digits: 500 })).job, many(24))
  const last = await price(guest, { currency: 'C24', digits: 500 })
  expect(last.status).toBe(200)
  await repriced(last.job, many(25))
  expect(await price(guest, { currency: 'C25', digits: 500 })).toMatchObject({
    status: 400,
    body: { message: 'An issuer has prices in at most 25 currencies for a schema' },
  })
  expect((await price(guest, { currency: 'C24', digits: 501 })).status).toBe(200)
})

test('a schema that anyone may verify is never priced, and a priced one never opened', async () => {
  const { owner, guest, issuer } = here()
  const refused = await price(owner, { currency: 'EUR', digits: 500, issuerDID: issuer }, OPEN_SCHEMA)
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringMatching(/public schema/) } })
  await repriced((await price(guest, { currency: 'EUR', digits: 0 })).job, { EUR: '0' })
  const opened = await world().call(owner, 'PUT', path(), { public: true })
  expect(opened).toMatchObject({ status: 400, body: { message: expect.stringMatching(/remove them first/) } })
})

test('a price among several issuers needs a name, and only the convener or the issuer’s own team may give it', async () => {
  const { owner, registry, degree, guest, issuer } = here()
  const second = await world().organisation(guest, 'Second')
  await world().block((block) => world().issuer(registry, degree, second, block))
  const body = { currency: 'EUR', digits: 500 }
  expect((await price(guest, body)).body.message).toMatch(/more than one DID of yours/)
  expect((await price(owner, body)).body.message).toMatch(/no DID of yours/)
  expect(await world().action((await price(guest, { ...body, issuerDID: second })).job)).toMatchObject({ did: second })
  const peer = await world().team()
  await world().accept(owner, peer, registry, await world().organisation(peer, 'Peer'))
  expect((await price(peer, { ...body, issuerDID: issuer })).status).toBe(404)
  expect((await price(peer, body)).status).toBe(404)
})

test('an issuer that keeps its own key is told how it acts; the convener acts for it, and one with its own key later', async () => {
  const { owner, convener, registry, guest, issuer } = here()
  const retire = (did: Did) =>
    world().scratch.db.transaction('system', (tx) =>
      tx.updateTable('did_keys').set({ state: 'retired' }).where('did', '=', did).execute(),
    )
  await retire(issuer)
  const body = { currency: 'EUR', digits: 500 }
  expect(await price(guest, body)).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/keeps its own key.*ledger\/actions\/prepare/) },
  })
  expect(await world().action((await price(owner, { ...body, issuerDID: issuer })).job)).toMatchObject({
    did: convener,
  })
  await retire(convener)
  expect(await price(owner, { ...body, issuerDID: issuer })).toMatchObject({ status: 200, pending: true })
  const { list } = (await world().call(owner, 'GET', `/trust-registries/${registry}/waiting-actions`)).body
  expect(JSON.stringify(list)).toContain('"EUR":{"Set":500}')
})

test('a malformed price, currency, schema, issuer or verifier is refused, and nothing is stored', async () => {
  const { degree, guest } = here()
  const [before, fine] = [await stored(), { currency: 'EUR', digits: 500 }]
  const max = 2n ** 128n
  const digits = [-1, 0.5, 1e21, 2 ** 53, '-1', '0.5', '1e3', '', ' 1', '007', String(max), null, {}, true, 1, '99']
  const currencies = ['', 'eur', '€', 'EURO_1', 'ABCDEFGHIJK', 'E R', 'EUR\n', 'ＥＵＲ', 7, null, ['EUR']]
  const dids = ['', 'did', 'x'.repeat(300), 7]
  const unknown = await world().organisation(guest, 'Not listed')
  const bad: [object, number][] = [
    ...digits.map((value): [object, number] => [{ ...fine, digits: value }, 400]),
    ...currencies.map((value): [object, number] => [{ ...fine, currency: value }, 400]),
    ...dids.map((value): [object, number] => [{ ...fine, issuerDID: value }, 400]),
    ...dids.map((value): [object, number] => [{ ...fine, verifier: value }, 400]),
    ...[unknown, 'did:web:example.org'].flatMap((did): [object, number][] => [
      [{ ...fine, issuerDID: did }, 404],
      [{ ...fine, verifier: did }, 400],
    ]),
    [{}, 400],
  ]
  for (const [body, status] of bad) {
    const answer = await price(guest, body)
    expect(answer.status, JSON.stringify(body)).toBe(status)
    expect(answer.body).toMatchObject({ status, type: expect.any(String), message: expect.any(String) })
  }
  for (const query of ['', 'currency=eur', 'currency=EUR&issuerDID=x', 'currency=EUR&verifier=x'])
    expect((await unprice(guest, query)).status, query).toBe(400)
  expect((await unprice(guest, 'currency=EUR')).body.message).toBe('Price was not found')
  for (const schema of ['x', '0x12', 'javascript:alert(1)']) expect((await price(guest, fine, schema)).status).toBe(400)
  expect((await price(guest, fine, 'https://schema.example/Unknown.json')).status).toBe(404)
  expect((await price(await world().team(), fine)).status).toBe(404)
  const query = (text: string) => world().call(guest, 'GET', `/trust-registries/schema-prices?${text}`)
  for (const text of [
    '',
    'ids=',
    'ids=x',
    `ids=${degree}&limit=65`,
    `ids=${degree}&offset=10001`,
    `ids=${degree}&issuerDID=x`,
    `ids=${degree}&at=x`,
  ])
    expect((await query(text)).status, text).toBe(400)
  expect((await query(`ids=${degree}&offset=10000`)).status).toBe(200)
  expect(await stored()).toEqual(before)
  for (const edge of ['0', '100', String(max - 1n), 2 ** 53 - 1])
    expect((await price(guest, { ...fine, digits: edge })).status, String(edge)).toBe(200)
  for (const currency of ['A', '0', 'ABCDEFGHIJ']) expect((await price(guest, { ...fine, currency })).status).toBe(200)
})
