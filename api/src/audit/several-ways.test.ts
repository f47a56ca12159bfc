import { beforeAll, describe, expect, test } from 'vitest'
import { auditWorld, convener, did, id, registry } from './testing.js'

/**
 * The answer names the way to a right, or the event of a block, that the rules choose among several.
 */
const world = auditWorld()
const at = (from_block: number, to_block: number | null = null) => ({ from_block, to_block, registry_id: registry })
const prices = {}

const ask = async (who: string, schema: string, block: number, role = 'issuer') =>
  (
    await world.get(`/trust-registries/${registry}/authorization?did=${who}&schema=${schema}&role=${role}&at=${block}`)
  ).json()

const tell = (
  block: number,
  index: number,
  name: string,
  schema: string | null,
  subject: string | null,
  change: object,
) =>
  world.ledger.event({
    block,
    index,
    name: `TrustRegistry.${name}`,
    actor: convener,
    trust_registry_id: registry,
    schema_id: schema,
    subject,
    ...change,
  })

async function schemaOf(byte: number): Promise<string> {
  const schema = id(byte)
  await world.ledger.row('registry_schema', { ...at(1), schema_id: schema, is_public: false })
  return schema
}

describe('a delegate of several issuers', () => {
  // The events are in the order of their texts; the chain's is the opposite.
  const [early = '', late = ''] = [did(71), did(72)].sort()
  const lent = did(73)
  let schema: string

  beforeAll(async () => {
    schema = await schemaOf(75)
    const { ledger } = world
    for (const issuer of [early, late]) await ledger.row('issuer', { ...at(2), schema_id: schema, did: issuer, prices })
    await ledger.row('delegation', { ...at(4), issuer: early, issuer_order: '0x02', delegate: lent })
    await ledger.row('delegation', { ...at(4), issuer: late, issuer_order: '0x01', delegate: lent })
    await tell(4, 31, 'DelegateAdded', null, lent, { after: { issuer: late } })
    await tell(4, 32, 'DelegateAdded', null, lent, { after: { issuer: early } })
    await ledger.row('suspension', { ...at(8), did: late })
    await ledger.row('suspension', { ...at(10), did: early })
    await tell(8, 31, 'IssuerSuspended', null, late, {})
    await tell(10, 31, 'IssuerSuspended', null, early, {})
  })

  test('acts through the first of them in the order of the chain, by the event that made it so', async () => {
    expect(await ask(lent, schema, 7)).toMatchObject({ reason: 'delegated', via: late, event: '4-31' })
  })

  test('acts through the next one where the first is suspended', async () => {
    expect(await ask(lent, schema, 8)).toMatchObject({ authorized: true, via: early, event: '4-32' })
    expect(await ask(lent, schema, 10)).toMatchObject({
      authorized: false,
      reason: 'delegator_suspended',
      event: '10-31',
    })
  })
})

describe('a verdict over several events in a block', () => {
  test('the last of two events that it took counts', async () => {
    const [schema, back] = [await schemaOf(80), did(81)]
    const { ledger } = world
    await ledger.row('suspension', { ...at(5, 9), did: back })
    await ledger.row('issuer', { ...at(9), schema_id: schema, did: back, prices })
    await tell(9, 41, 'IssuerChanged', schema, back, { after: { prices } })
    await tell(9, 42, 'IssuerUnsuspended', null, back, {})
    expect(await ask(back, schema, 9)).toMatchObject({ authorized: true, reason: 'direct', event: '9-42' })
  })

  test('the closing of a schema gave its verifier nothing', async () => {
    const [schema, named] = [await schemaOf(85), did(86)]
    await world.ledger.row('verifier', { ...at(9), schema_id: schema, did: named })
    await tell(9, 51, 'VerifierChanged', schema, named, { before: { listed: false }, after: { listed: true } })
    await tell(9, 52, 'SchemaPublicSet', schema, null, { before: { public: true }, after: { public: false } })
    expect(await ask(named, schema, 9, 'verifier')).toMatchObject({ reason: 'direct', event: '9-51' })
  })
})

describe('a DID that never had a right lost it at no time', () => {
  const never = { authorized: false, reason: 'not_listed' }

  test('though the schema ended and came back, which nobody might verify', async () => {
    const [schema, stranger] = [id(90), did(91)]
    await world.ledger.row('registry_schema', { ...at(1, 9), schema_id: schema, is_public: false })
    await world.ledger.row('registry_schema', { ...at(9), schema_id: schema, is_public: false })
    const answer = await ask(stranger, schema, 10, 'verifier')
    expect(answer).toMatchObject(never)
    expect([answer.since, answer.event]).toEqual([undefined, undefined])
  })

  test('though it was a delegate before its issuer had the right', async () => {
    const [schema, issuer, lent] = [await schemaOf(95), did(96), did(97)]
    const { ledger } = world
    await ledger.row('delegation', { ...at(2, 4), issuer, issuer_order: '0x01', delegate: lent })
    await ledger.row('issuer', { ...at(6, 8), schema_id: schema, did: issuer, prices })
    const answer = await ask(lent, schema, 10)
    expect(answer).toMatchObject(never)
    expect([answer.since, answer.event]).toEqual([undefined, undefined])
  })
})
