import { calls, didSvc, schemaId, ViewFunctionError, viewFunctions } from '@accredit/chain'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenLedger } from '../open-ledger.js'
import { Actor } from '../testing/actor.js'
import { ask } from '../testing/ask.js'
import type { FeePayer } from '../testing/fee-payer.js'
import { openPaidLedger, type PaidLedger } from '../testing/paid-ledger.js'

let paid: PaidLedger
let opened: OpenLedger
let payer: FeePayer
let convener: Actor
let issuer: Actor

const views = viewFunctions()
const registryId = schemaId('a registry')
const schema = schemaId('https://example.org/degree')
const delegate = didSvc(schemaId('a delegate'))

beforeAll(async () => {
  paid = await openPaidLedger()
  ;({ opened, payer } = paid)
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

afterAll(() => paid.close())

describe('a view function of the ledger', () => {
  test('finds registries and schemas by who is in them, a delegate included', async () => {
    const ids = { list: [registryId], next: null }
    expect(await ask(opened.ledger, views.registriesIds({ issuers: [delegate], schemaIds: [schema] }))).toEqual(ids)
    expect(await ask(opened.ledger, views.issuersTrustRegistries(issuer.did))).toEqual(ids)
    expect(await ask(opened.ledger, views.issuersTrustRegistries(issuer.did, registryId))).toEqual({
      list: [],
      next: null,
    })
    expect(await ask(opened.ledger, views.verifiersTrustRegistries(issuer.did))).toEqual({ list: [], next: null })
    const schemas = { list: [schema], next: null }
    expect(await ask(opened.ledger, views.registrySchemaIds({ issuersOrVerifiers: [delegate] }, registryId))).toEqual(
      schemas,
    )
    expect(await ask(opened.ledger, views.trustRegistryIssuerSchemas(registryId, delegate))).toEqual(schemas)
    expect(await ask(opened.ledger, views.trustRegistryVerifierSchemas(registryId, delegate))).toEqual({
      list: [],
      next: null,
    })
    expect(await ask(opened.ledger, views.registriesIds({}))).toEqual({ list: [], next: null })
  })

  test('tells about each of them', async () => {
    const match = { did: delegate, role: 'issuer', direct: false, delegatedBy: [issuer.did], suspended: false }
    const info = { convener: convener.did, name: 'Ünïversities', govFramework: 'https://example.org', version: 1 }
    expect(await ask(opened.ledger, views.registriesInfo({ issuers: [delegate] }))).toEqual({
      list: [{ id: registryId, ...info, matches: [match] }],
      next: null,
    })
    const { list } = await ask(opened.ledger, views.registrySchemasMetadata({ schemaIds: [schema] }, registryId))
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

  test('answer rights with their reason, at the head and in the past', async () => {
    const question = { registryId, schemaId: schema, did: delegate, role: 'issuer' } as const
    expect(await ask(opened.ledger, views.authorized(question))).toEqual({
      authorized: true,
      reason: 'delegated',
      via: issuer.did,
    })
    expect(await ask(opened.ledger, views.authorized({ ...question, role: 'verifier' }))).toEqual({
      authorized: false,
      reason: 'not_listed',
    })
    const past = await ask(opened.ledger, views.authorized(question), opened.genesisHash)
    expect(past).toEqual({ authorized: false, reason: 'unknown_registry' })
  })

  test('is not run again for what it was asked about a block before', async () => {
    const question = { schemaId: schema, did: delegate, role: 'issuer' } as const
    const asked = views.authorized({ ...question, registryId: schemaId('nobody asked about this one') })
    const first = await ask(opened.ledger, asked, opened.genesisHash)
    await onDatabase('alter table chain.state rename to state_away')
    expect(await ask(opened.ledger, asked, opened.genesisHash)).toEqual(first)
    const unread = views.authorized({ ...question, registryId: schemaId('nor about this one') })
    await expect(ask(opened.ledger, unread, opened.genesisHash)).rejects.toThrow()
    await onDatabase('alter table chain.state_away rename to state')
    expect(await ask(opened.ledger, unread, opened.genesisHash)).toEqual(first)
  })

  test('tells what an update would do, or why it would be refused', async () => {
    const update = { Modify: new Map([[schema, 'Remove' as const]]) }
    const preview = await ask(opened.ledger, views.previewSchemasMetadata({ actor: convener.did, registryId, update }))
    expect(preview).toMatchObject({ endedDelegations: [{ issuer: issuer.did, delegate }] })
    const refused = await ask(opened.ledger, views.previewSchemasMetadata({ actor: issuer.did, registryId, update }))
    expect(refused).toMatchObject({ refused: { pallet: 'TrustRegistry', name: 'NotAuthorized' } })
  })

  test('refuses more than 64 ids in a field', async () => {
    const schemaIds = Array.from({ length: 65 }, (_, position) => schemaId(String(position)))
    await expect(ask(opened.ledger, views.registriesIds({ schemaIds }))).rejects.toThrow(ViewFunctionError)
    expect(await ask(opened.ledger, views.registriesIds({ schemaIds: schemaIds.slice(1) }))).toEqual({
      list: [],
      next: null,
    })
  })
})

async function onDatabase(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: paid.databaseUrl })
  await client.connect()
  await client.query(statement)
  await client.end()
}
