import { type Did, schemaId } from '@accredit/chain'
import { type Insertable, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Scope } from '../../platform/database/database.js'
import type { ServiceTables } from '../../platform/database/tables.js'
import type { TestTeam } from '../../platform/testing/scratch-database.js'
import { priceTests } from './prices.testing.js'
import { setDeal } from './verifier-price.store.js'

const { world, here, price, unprice, pricesOf, anywhere } = priceTests()

const deal = (digits: number, currency = 'EUR') => ({ currency, digits, verifier: here().verifier })
const stores = (rows: Insertable<ServiceTables['verifier_prices']>[]) =>
  world().scratch.db.transaction('system', (tx) => tx.insertInto('verifier_prices').values(rows).execute())
const left = async (subject: Did, name: 'IssuerChanged' | 'VerifierChanged', index: number) => {
  const { registry, degree, guest } = here()
  const { job } = await price(guest, { currency: 'EUR', digits: 500 })
  await world().include(job, async (block) => {
    const after = name === 'IssuerChanged' ? null : { listed: false }
    const event = { before: {}, after, trust_registry_id: registry, schema_id: schemaId(degree), subject }
    await world().ledger.event({ block, index, name: `TrustRegistry.${name}`, ...event })
  })
}

describe('a price for one verifier', () => {
  test('holds at once, without the ledger, for those whom it concerns, and a page as it was', async () => {
    const { owner, registry, guest, issuer, verifier } = here()
    const before = world().clock.now().toISOString()
    expect(await price(guest, deal(700))).toMatchObject({ status: 200, job: '0', pending: false })
    const between = world().clock.now().toISOString()
    expect(await price(owner, { ...deal(800), issuerDID: issuer })).toMatchObject({ status: 200, job: '0' })
    const shown = { currency: 'EUR', digits: '800', issuerDID: issuer, verifier }
    for (const team of [guest, owner]) expect(await pricesOf(team)).toEqual([shown])
    expect(await pricesOf(guest, `at=${between}`)).toMatchObject([{ digits: '700' }])
    expect(await pricesOf(guest, `at=${before}`)).toEqual([])
    expect(await anywhere(await world().team())).toEqual([])
    const peer = await world().team()
    await world().accept(owner, peer, registry, await world().organisation(peer, 'Peer'))
    expect(await pricesOf(peer)).toEqual([])

    expect(await unprice(guest, `currency=EUR&verifier=${verifier}`)).toMatchObject({ status: 200, job: '0' })
    expect(await pricesOf(guest)).toEqual([])
    expect((await unprice(guest, `currency=EUR&verifier=${verifier}`)).status).toBe(404)
  })

  test.each(['issuer', 'verifier'] as const)(
    'ends where the %s leaves, and does not come back with it',
    async (who) => {
      const { guest, issuer, verifier } = here()
      await price(guest, deal(700))
      const before = world().clock.now().toISOString()
      if (who === 'issuer') await left(issuer, 'IssuerChanged', 1)
      else await left(verifier, 'VerifierChanged', 1)
      expect(await pricesOf(guest)).toEqual([])
      expect(await pricesOf(guest, `at=${before}`)).toMatchObject([{ digits: '700' }])
      await price(guest, deal(900))
      expect(await pricesOf(guest)).toMatchObject([{ digits: '900' }])
    },
  )

  test('ends with a departure, also if it was set before the index told of that', async () => {
    const { registry, degree, guest, verifier } = here()
    const { job } = await price(guest, { currency: 'EUR', digits: 500 })
    await world().include(job, async (block) => {
      await price(guest, deal(700))
      const gone = { trust_registry_id: registry, schema_id: schemaId(degree), subject: verifier }
      await world().ledger.event({
        block,
        index: 1,
        name: 'TrustRegistry.VerifierChanged',
        before: {},
        after: null,
        ...gone,
      })
    })
    expect(await pricesOf(guest)).toEqual([])
    expect((await unprice(guest, `currency=EUR&verifier=${verifier}`)).status).toBe(404)
  })

  test('holds after the price before it, whatever clock that was set by', async () => {
    const { registry, degree, guest, issuer, verifier } = here()
    const ahead = new Date(Date.now() + 60_000)
    const place = { registry_id: registry, schema_id: schemaId(degree), issuer, verifier, team_id: guest.team }
    await stores([{ ...place, currency: 'EUR', digits: '700', from_time: ahead }])
    expect((await price(guest, deal(800))).status).toBe(200)
    const held = await world().scratch.db.read('system', (reader) =>
      reader.selectFrom('verifier_prices').selectAll().where('registry_id', '=', registry).orderBy('row_id').execute(),
    )
    expect(held.map(({ digits, from_time, to_time }) => [digits, from_time, to_time])).toEqual([
      ['700', ahead, ahead],
      ['800', ahead, null],
    ])
  })

  test('is for one of at most 1000 verifiers, and changed at most 100 times in a day', async () => {
    const { owner, registry, degree, guest, issuer, verifier } = here()
    const place = { registry_id: registry, schema_id: schemaId(degree), issuer, team_id: guest.team, digits: '700' }
    const now = { currency: 'EUR', from_time: world().clock.now() }
    await stores(Array.from({ length: 999 }, (_, n) => ({ ...place, ...now, verifier: `did:key:${n}` })))
    const past = { ...now, currency: 'CHF', to_time: now.from_time }
    await stores(Array.from({ length: 98 }, () => ({ ...place, ...past, verifier })))
    expect((await price(guest, deal(701))).status).toBe(200)
    expect((await price(guest, deal(702))).status).toBe(200)
    expect((await price(guest, deal(703))).body.message).toMatch(/at most 100 times in a day/)
    const another = await world().organisation(owner, 'Another')
    await world().block((block) => world().verifier(registry, degree, another, block))
    expect((await price(guest, { ...deal(700), verifier: another })).body.message).toMatch(/at most 1000 verifiers/)
    expect((await unprice(guest, `currency=EUR&verifier=${verifier}`)).status).toBe(200)
    expect((await price(guest, { ...deal(700), verifier: another })).status).toBe(200)
  })

  test('is told by the database itself to those whom it concerns, its row to the team that set it, and said by nobody else', async () => {
    const { owner, registry, degree, guest, issuer, verifier } = here()
    await price(guest, deal(700))
    const [stranger, schemas] = [await world().team(), [schemaId(degree)]]
    const scope = (team: TestTeam): Scope => ({ teams: [team.team], actor: 'test' })
    const told = async (as: TestTeam, whose = as) => {
      const { rows } = await world().scratch.db.read(scope(as), (reader) =>
        sql`select * from service.deals_for(${whose.team}, ${schemas}::text[], null, null, now() + interval '1 day')`.execute(
          reader,
        ),
      )
      return rows.length
    }
    expect([await told(guest), await told(owner), await told(stranger), await told(stranger, guest)]).toEqual([
      1, 1, 0, 0,
    ])
    const rows = (team: TestTeam) =>
      world().scratch.db.read(scope(team), (reader) => reader.selectFrom('verifier_prices').selectAll().execute())
    expect(await rows(guest)).toMatchObject([{ issuer, verifier, team_id: guest.team }])
    expect([await rows(owner), await rows(stranger)]).toEqual([[], []])
    const place = { registry_id: registry, schema_id: schemaId(degree), issuer, verifier, currency: 'EUR' }
    const say = (as: TestTeam) =>
      world().scratch.db.transaction(scope(as), (tx) => setDeal(tx, guest.team, place, 1n, world().clock.now()))
    await expect(say(stranger)).rejects.toThrow(/not a team of this transaction/)
  })

  test('is one of at most 25', async () => {
    const { registry, degree, guest, issuer, verifier } = here()
    await price(guest, deal(700, 'C1'))
    const place = { registry_id: registry, schema_id: schemaId(degree), issuer, verifier, team_id: guest.team }
    const others = Array.from({ length: 23 }, (_, n) => ({ ...place, currency: `C${n + 2}`, digits: '700' }))
    await stores(others.map((row) => ({ ...row, from_time: world().clock.now() })))
    expect((await price(guest, deal(700, 'C25'))).status).toBe(200)
    expect((await price(guest, deal(700, 'C26'))).body.message).toMatch(/at most 25/)
    expect((await price(guest, deal(701, 'C25'))).status).toBe(200)
    await unprice(guest, `currency=C1&verifier=${verifier}`)
    expect((await price(guest, deal(700, 'C26'))).status).toBe(200)
  })
})
