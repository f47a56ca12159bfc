import { calls, didSvc, schemaId, type ViewCall, ViewFunctionError, viewFunctions } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import { randomKeys } from './keys.js'
import { type OpenLedger, openLedger } from './open-ledger.js'
import { Actor } from './testing/actor.js'
import { FeePayer, randomPair } from './testing/fee-payer.js'

let scratch: ScratchDatabase
let opened: OpenLedger
let payer: FeePayer
let convener: Actor
let issuer: Actor

const views = viewFunctions()
const registryId = schemaId('a registry')
const schema = schemaId('https://example.org/degree')
const delegate = didSvc(schemaId('a delegate'))

beforeAll(async () => {
  scratch = await scratchDatabase()
  const pair = await randomPair()
  opened = await openLedger({ databaseUrl: scratch.url, keys: randomKeys(), feeAccounts: [pair.address] })
  payer = await FeePayer.on(opened.ledger, pair)
  convener = new Actor(payer.place)
  issuer = new Actor(payer.place)
  for (const actor of [convener, issuer]) await payer.submit(actor.create())
  const prices = new Map([['USD', 2n ** 90n]])
  const ensured = { issuers: { Modify: new Map([[issuer.did, { Set: prices }]]) } }
  await payer.submit(
    convener.act([
      calls.trustRegistry.initOrUpdate({ registryId, name: 'Ünïversities', govFramework: 'https://example.org' }),
      calls.trustRegistry.setSchemasMetadata({
        registryId,
        update: { Modify: new Map([[schema, { Ensure: ensured }]]) },
      }),
    ]),
  )
  const delegated = { Set: [delegate] }
  await payer.submit(issuer.act([calls.trustRegistry.updateDelegatedIssuers({ registryId, delegated })]))
})

afterAll(async () => {
  await payer.close()
  await opened.close()
  await scratch.drop()
})

async function ask<Answer>({ method, params, decode }: ViewCall<Answer>, block?: string): Promise<Answer> {
  const result: unknown = await opened.ledger
    .provider()
    .send(method, block === undefined ? [...params] : [...params, block])
  if (typeof result !== 'string' || !result.startsWith('0x')) throw new TypeError('no bytes')
  return decode(`0x${result.slice(2)}`)
}

describe('a view function of the ledger', () => {
  test('finds registries and schemas by who is in them, a delegate included', async () => {
    const ids = { list: [registryId], next: null }
    expect(await ask(views.registriesIds({ issuers: [delegate], schemaIds: [schema] }))).toEqual(ids)
    expect(await ask(views.issuersTrustRegistries(issuer.did))).toEqual(ids)
    expect(await ask(views.issuersTrustRegistries(issuer.did, registryId))).toEqual({ list: [], next: null })
    expect(await ask(views.verifiersTrustRegistries(issuer.did))).toEqual({ list: [], next: null })
    const schemas = { list: [schema], next: null }
    expect(await ask(views.registrySchemaIds({ issuersOrVerifiers: [delegate] }, registryId))).toEqual(schemas)
    expect(await ask(views.trustRegistryIssuerSchemas(registryId, delegate))).toEqual(schemas)
    expect(await ask(views.trustRegistryVerifierSchemas(registryId, delegate))).toEqual({ list: [], next: null })
    expect(await ask(views.registriesIds({}))).toEqual({ list: [], next: null })
  })

  test('tells about each of them', async () => {
    const match = { did: delegate, role: 'issuer', direct: false, delegatedBy: [issuer.did], suspended: false }
    const info = { convener: convener.did, name: 'Ünïversities', govFramework: 'https://example.org', version: 1 }
    expect(await ask(views.registriesInfo({ issuers: [delegate] }))).toEqual({
      list: [{ id: registryId, ...info, matches: [match] }],
      next: null,
    })
    const { list } = await ask(views.registrySchemasMetadata({ schemaIds: [schema] }, registryId))
    expect(list).toHaveLength(1)
    expect(list[0]).toMatchObject({ id: schema, public: false, verifiers: [], issuerCount: 2, verifierCount: 0 })
    expect(list[0]?.issuers).toContainEqual({
      did: issuer.did,
      direct: true,
      delegatedBy: [],
      suspended: false,
      prices: { USD: (2n ** 90n).toString() },
    })
    expect(list[0]?.issuers).toContainEqual({
      did: delegate,
      direct: false,
      delegatedBy: [issuer.did],
      suspended: false,
    })
  })

  test('says who may do what, and why, at the head and in the past', async () => {
    const question = { registryId, schemaId: schema, did: delegate, role: 'issuer' } as const
    expect(await ask(views.authorized(question))).toEqual({ authorized: true, reason: 'delegated', via: issuer.did })
    expect(await ask(views.authorized({ ...question, role: 'verifier' }))).toEqual({
      authorized: false,
      reason: 'not_listed',
    })
    const past = await ask(views.authorized(question), opened.genesisHash)
    expect(past).toEqual({ authorized: false, reason: 'unknown_registry' })
  })

  test('tells what an update would do, or why it would be refused', async () => {
    const update = { Modify: new Map([[schema, 'Remove' as const]]) }
    const preview = await ask(views.previewSchemasMetadata({ actor: convener.did, registryId, update }))
    expect(preview).toMatchObject({ endedDelegations: [{ issuer: issuer.did, delegate }] })
    const refused = await ask(views.previewSchemasMetadata({ actor: issuer.did, registryId, update }))
    expect(refused).toMatchObject({ refused: { pallet: 'TrustRegistry', name: 'NotAuthorized' } })
  })

  test('refuses more than 64 ids in a field', async () => {
    const schemaIds = Array.from({ length: 65 }, (_, position) => schemaId(String(position)))
    await expect(ask(views.registriesIds({ schemaIds }))).rejects.toThrow(ViewFunctionError)
    expect(await ask(views.registriesIds({ schemaIds: schemaIds.slice(1) }))).toEqual({ list: [], next: null })
  })
})
