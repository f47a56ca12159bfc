import { describe, expect, test } from 'vitest'
import { auditWorld, convener, delegate, did, issuer, registry, SCHEMA_URI, schema } from './testing.js'

const world = auditWorld()
const post = (url: string, payload: object) => world.app.inject({ method: 'POST', url, payload })

describe('the eight queries', () => {
  const ask = async (name: string, body: object) => (await post(`/ledger/queries/${name}`, body)).json()
  const ids = (...list: string[]) => ({ list, next: null })

  test('answer by their names', async () => {
    expect(await ask('issuersTrustRegistries', { did: issuer })).toEqual(ids(registry))
    expect(await ask('issuersTrustRegistries', { did: delegate })).toEqual(ids(registry))
    expect(await ask('verifiersTrustRegistries', { did: issuer })).toEqual(ids())
    expect(await ask('registriesIds', { filter: { issuers: { AnyOf: [issuer] } } })).toEqual(ids(registry))
    expect(await ask('registriesIds', { filter: { schemaIds: { AnyOf: [SCHEMA_URI] } } })).toEqual(ids(registry))
    expect(await ask('trustRegistryIssuerSchemas', { did: issuer, registryId: registry })).toEqual(ids(schema))
    expect(await ask('trustRegistryVerifierSchemas', { did: issuer, registryId: registry })).toEqual(ids())
    const filter = { issuersOrVerifiers: { AnyOf: [delegate] } }
    expect(await ask('registrySchemaIds', { registryId: registry, filter })).toEqual(ids(schema))
  })

  test('information carries direct, delegated by and suspended', async () => {
    const filter = { issuers: { AnyOf: [issuer, delegate] } }
    const entry = (who: string, direct: boolean, suspended: boolean, delegatedBy: string[] = []) => ({
      did: who,
      direct,
      suspended,
      delegatedBy,
    })
    const matches = [entry(issuer, true, true), entry(delegate, false, false, [issuer])].sort((a, b) =>
      a.did < b.did ? -1 : 1,
    )
    expect(await ask('registriesInfo', { filter, at: 9 })).toEqual({
      list: [
        {
          id: registry,
          convener,
          name: 'Universities',
          govFramework: 'https://x#1',
          version: 1,
          matches: matches.map((match) => ({ ...match, role: 'issuer' })),
        },
      ],
      next: null,
    })
    const [metadata] = (await ask('registrySchemasMetadata', { registryId: registry, filter, at: 9 })).list
    expect(metadata).toMatchObject({ id: schema, public: false, issuerCount: 2, verifierCount: 0, verifiers: [] })
    expect(metadata.issuers).toEqual(
      matches.map((match) => (match.direct ? { ...match, prices: { USD: '5' } } : match)),
    )
  })

  test('return every match as it was then, with its chain of delegation in order', async () => {
    const [first = '', second = ''] = [did(61), did(62)].sort()
    const [lent, verifier] = [did(63), did(64)]
    const row = (from_block: number, to_block: number | null = null) => ({
      from_block,
      to_block,
      registry_id: registry,
    })
    const { ledger } = world
    for (const one of [first, second])
      await ledger.row('issuer', { ...row(4), schema_id: schema, did: one, prices: {} })
    // The chain's order differs from that of the texts.
    await ledger.row('delegation', { ...row(4, 8), issuer: first, issuer_order: '0x09', delegate: lent })
    await ledger.row('delegation', { ...row(4, 8), issuer: second, issuer_order: '0x08', delegate: lent })
    await ledger.row('verifier', { ...row(4, 8), schema_id: schema, did: verifier })
    const matches = async (at: number) => {
      const filter = { issuersOrVerifiers: { AnyOf: [first, lent, verifier] } }
      const [info] = (await ask('registriesInfo', { filter, at })).list
      return new Map<string, object>(info.matches.map((match: { did: string }) => [match.did, match]))
    }
    const then = await matches(7)
    expect(then.get(lent)).toMatchObject({ role: 'issuer', direct: false, delegatedBy: [second, first] })
    expect(then.get(verifier)).toMatchObject({ role: 'verifier', direct: true })
    expect([...(await matches(8)).keys()]).toEqual([first])
  })

  test('know the past', async () => {
    const filter = { issuers: { AnyOf: [issuer] } }
    expect(await ask('registriesIds', { filter, at: 2 })).toEqual(ids())
    expect(await ask('registriesIds', { filter, at: '2026-01-01T00:00:03Z' })).toEqual(ids(registry))
  })

  test('answer nothing of a DID of another method, which nobody lists', async () => {
    const other = 'did:web:university.example'
    for (const name of ['issuersTrustRegistries', 'verifiersTrustRegistries'])
      expect(await ask(name, { did: other })).toEqual(ids())
    for (const name of ['trustRegistryIssuerSchemas', 'trustRegistryVerifierSchemas'])
      expect(await ask(name, { did: other, registryId: registry })).toEqual(ids())
    for (const field of ['issuers', 'verifiers', 'issuersOrVerifiers'])
      expect(await ask('registriesIds', { filter: { [field]: { AnyOf: [other] } } })).toEqual(ids())
    const get = async (url: string) => (await world.app.inject(url)).json()
    expect(await get(`/ledger/events?did=${other}`)).toEqual({ total: 0, ...ids() })
    expect(await get(`/dids/${other}/history`)).toEqual({ total: 0, ...ids() })
    expect(await get(`/dids/${other}/rights`)).toEqual(ids())
  })

  test('refuse an unreadable filter, and an empty one matches nothing', async () => {
    expect(await ask('registriesIds', {})).toEqual(ids())
    expect(await ask('registriesIds', { filter: { issuers: { AnyOf: [] } } })).toEqual(ids())
    expect(await ask('registriesIds', { filter: { issuers: { AnyOf: [did(88)] } } })).toEqual(ids())
    const status = async (name: string, body: object) => (await post(`/ledger/queries/${name}`, body)).statusCode
    expect(await status('nothingOfThisName', {})).toBe(400)
    expect(await status('issuersTrustRegistries', {})).toBe(400)
    expect(await status('trustRegistryIssuerSchemas', { did: issuer })).toBe(400)
    // A condition that the query would not look at.
    expect(await status('registriesInfo', { did: issuer, filter: { issuers: { AnyOf: [issuer] } } })).toBe(400)
    expect(await status('registriesIds', { filter: { issuers: { AnyOf: Array(65).fill(issuer) } } })).toBe(400)
    expect(await status('registriesIds', { filter: { issuers: { AnyOf: ['x'] } } })).toBe(400)
    expect(await status('registriesIds', { filter: { issuers: [issuer] } })).toBe(400)
    expect(await status('registriesIds', { filter: {}, cursor: 'x' })).toBe(400)
  })
})
