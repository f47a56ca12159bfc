import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { auditWorld, did, issuer, LAST, registry, schema } from './testing.js'

const world = auditWorld()
const { get } = world

const questionOf = (who: string, of: string = registry) =>
  `/trust-registries/${of}/authorization?did=${who}&schema=${schema}&role=issuer`

test('an answer about now is given again as it was while no block comes, and asked for anew once one has', async () => {
  const question = questionOf(issuer)
  const first = await get(question)
  expect(first.json()).toMatchObject({ authorized: true, block: LAST })
  // No block tells of this row: that it is not seen shows that nobody was asked.
  await world.ledger.row('suspension', { from_block: LAST, to_block: null, registry_id: registry, did: issuer })
  const again = await get(question)
  expect(again.body).toBe(first.body)
  for (const name of [
    'etag',
    'cache-control',
    'accredit-block',
    'accredit-block-time',
    'accredit-final',
    'content-type',
  ])
    expect(again.headers[name], name).toBe(first.headers[name])
  expect((await get(question, { 'if-none-match': String(first.headers.etag) })).statusCode).toBe(304)
  expect((await get(question, { 'if-match': '"another"' })).statusCode).toBe(412)

  await world.ledger.block(LAST + 1, new Date())
  await world.ledger.finality({ height: LAST + 1 })
  const later = await get(question)
  expect(later.json()).toMatchObject({ authorized: false, reason: 'suspended', block: LAST + 1 })
  expect(later.headers['accredit-block']).toBe(String(LAST + 1))
  expect((await get(questionOf(did(99)))).json()).toMatchObject({ reason: 'not_listed' })
})

test('an answer by a slug follows the name, which changes without a block', async () => {
  const question = questionOf(issuer, 'universities')
  expect((await get(question)).json()).toMatchObject({ reason: 'unknown_registry' })
  await world.db.transaction('system', async (tx) => {
    await sql`insert into service.registry_slugs (slug, registry_id, team_id) select 'universities', ${registry}, min(id)
      from service.teams`.execute(tx)
  })
  expect((await get(question)).json()).not.toMatchObject({ reason: 'unknown_registry' })
})
