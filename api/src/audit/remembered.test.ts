import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { serviceDatabase } from '../platform/testing/scratch-database.js'
import { schemaUris } from './schema-uris.js'
import { auditWorld, id, inRegistry, issuer, LAST, registry } from './testing.js'

const world = auditWorld()

test('a total counts the events of blocks that are not final anew, and those that came since', async () => {
  const total = async (at = '') => (await world.get(`/trust-registries/${registry}/history?limit=1${at}`)).json().total
  const happens = (block: number) =>
    world.ledger.event({ block, index: 9, name: 'TrustRegistry.IssuerSuspended', ...inRegistry, subject: issuer })
  await world.ledger.finality({ height: 9 })
  expect([await total(), await total()]).toEqual([7, 7])
  // Another fork has more.
  await happens(10)
  expect(await total()).toBe(8)
  await world.ledger.finality({ height: LAST })
  expect(await total()).toBe(8)
  await world.ledger.block(LAST + 1, new Date('2026-01-01T00:00:13Z'))
  await happens(LAST + 1)
  expect([await total(), await total(`&at=${LAST}`), await total('&at=9')]).toEqual([9, 8, 6])
})

test('the URI of a schema is asked for again after a minute', async () => {
  const scratch = await serviceDatabase()
  const hash = id(77)
  const uri = 'https://schemas.example/Asked.json'
  const change = (statement: ReturnType<typeof sql>) => scratch.db.transaction('system', (tx) => statement.execute(tx))
  const told = async () => (await schemaUris(scratch, [hash]))(hash)
  await change(sql`insert into schema_uris (hash, uri) values (${hash}, ${uri})`)
  const now = Date.now()
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now)
  expect(await told()).toBe(uri)
  await change(sql`delete from schema_uris where hash = ${hash}`)
  clock.mockReturnValue(now + 59_999)
  expect(await told()).toBe(uri)
  clock.mockReturnValue(now + 60_000)
  expect(await told()).toBe(undefined)
  clock.mockRestore()
  await scratch.close()
})
