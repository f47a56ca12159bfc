import { randomBytes } from 'node:crypto'
import { calls, decodeEvents, didSvc, type SchemaOp, schemaId } from '@accredit/chain'
import { compactToU8a } from '@polkadot/util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ledger } from '../ledger.js'
import { type Hex, hexOf } from '../store/store.js'
import { Actor } from '../testing/actor.js'
import type { FeePayer } from '../testing/fee-payer.js'
import { openPaidLedger, type PaidLedger } from '../testing/paid-ledger.js'
import { MAX_EVENTS } from './block-budget.js'
import { ExtrinsicRefused } from './submission.js'

const ISSUERS = 750

let paid: PaidLedger
let ledger: Ledger
let payer: FeePayer

beforeAll(async () => {
  paid = await openPaidLedger()
  ;({
    opened: { ledger },
    payer,
  } = paid)
})

afterAll(() => paid.close())

describe('extrinsics that arrive together', () => {
  test('go into several blocks where they make more events than a reader takes at once, however few bytes they have', async () => {
    const schemas = ['degree', 'diploma', 'licence'].map(schemaId)
    const removals = await schemasWithIssuers(schemas)
    const before = ledger.head.number
    const included = await Promise.all(removals.map((extrinsic) => ledger.producer.submit(extrinsic).included))
    expect(removals.join('').length / 2).toBeLessThan(4_096)
    expect(new Set(included.map(({ blockHash }) => blockHash)).size).toBeGreaterThan(1)
    let events = 0
    for (let number = before + 1; number <= ledger.head.number; number += 1) {
      const inBlock = await eventsAt(number)
      expect(inBlock).toBeLessThanOrEqual(MAX_EVENTS)
      events += inBlock
    }
    expect(events).toBeGreaterThan(schemas.length * ISSUERS)
  })

  test('are kept while they wait for earlier nonces, up to a number: then those that wait for longest go', async () => {
    const first = await payer.sign(new Actor(payer.place).create())
    const nonce = (await payer.api.rpc.system.accountNextIndex(payer.pair.address)).toNumber()
    const ahead = await Promise.all(
      Array.from({ length: 257 }, (_, number) => payer.sign(new Actor(payer.place).create(), nonce + 2 + number)),
    )
    const waiting = ahead.map((extrinsic) => ledger.producer.submit(extrinsic))
    await Promise.all(waiting.map((submission) => submission.accepted))
    await expect(waiting[0]?.included).rejects.toThrow('Immediately Dropped')
    expect(ledger.producer.pending()).toHaveLength(256)
    await ledger.producer.submit(first).included
    expect(ledger.producer.pending()).toHaveLength(256)
  })

  test('are refused while those that are in no block have more than 20 MiB, and taken again afterwards', async () => {
    const large = Array.from({ length: 5 }, () => signedByNobody(5 * 1024 * 1024))
    const taken = large.slice(0, 4).map((extrinsic) => ledger.producer.submit(extrinsic))
    expect(() => ledger.producer.submit(large[4] ?? '0x')).toThrow('Immediately Dropped')
    await Promise.all(taken.map(({ included }) => expect(included).rejects.toBeInstanceOf(ExtrinsicRefused)))
    await ledger.producer.submit(await payer.sign(new Actor(payer.place).create())).included
  })
})

/** An extrinsic of so many random bytes in the envelope of a signed one. */
function signedByNobody(bytes: number): Hex {
  const [signed, byId] = [0x84, 0]
  const body = Buffer.concat([Buffer.from([signed, byId]), randomBytes(bytes)])
  return hexOf(Buffer.concat([compactToU8a(body.length), body]))
}

/** Makes schemas with many issuers each, and returns the extrinsics that remove them again. */
async function schemasWithIssuers(schemas: readonly ReturnType<typeof schemaId>[]) {
  const convener = new Actor(payer.place)
  const registryId = schemaId('a registry')
  await payer.submit(convener.create())
  const govFramework = 'https://example.org'
  await payer.submit(
    convener.act([calls.trustRegistry.initOrUpdate({ registryId, name: 'Universities', govFramework })]),
  )
  const issuers = new Map(
    Array.from({ length: ISSUERS }, (_, number) => [didSvc(schemaId(`issuer ${number}`)), { Set: new Map() }] as const),
  )
  const change = (schema: ReturnType<typeof schemaId>, update: SchemaOp) =>
    convener.act([
      calls.trustRegistry.setSchemasMetadata({ registryId, update: { Modify: new Map([[schema, update]]) } }),
    ])
  for (const schema of schemas) await payer.submit(change(schema, { Ensure: { issuers: { Modify: issuers } } }))
  return Promise.all(schemas.map((schema) => payer.sign(change(schema, 'Remove'))))
}

async function eventsAt(number: number): Promise<number> {
  const runtime = await ledger.chain.runtimeAt(number)
  const key = runtime.storageKey('system', 'events')
  return decodeEvents((await ledger.chain.valueAt(key, number)) ?? '0x00').length
}
