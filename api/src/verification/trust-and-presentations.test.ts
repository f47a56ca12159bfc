import { type Hex32, schemaId } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKS } from '../formats/check.js'
import type { Json, JsonObject } from '../formats/json.js'
import { claimsOf } from '../formats/json-ld/document-claims.js'
import { testKey } from '../formats/json-ld/testing.js'
import { resolveAt } from '../ledger/read/at.js'
import { issuerAuthorised, verifierPermitted } from './authorised.js'
import {
  checkOf,
  credential,
  expectFailure,
  hex32,
  presentation,
  TestVerifier,
  type ToldCheck,
  timeOf,
} from './testing.js'

let verifier: TestVerifier
beforeAll(async () => {
  verifier = await TestVerifier.open()
})
afterAll(() => verifier.close())

const at = (data: Json, point: Json, more?: JsonObject) => verifier.at(data, point, more)

describe('trust', () => {
  const registry = hex32(0xb1)
  let listed: Awaited<ReturnType<TestVerifier['did']>>
  const schema = 'https://schemas.example/degree.json'
  const place = { registry_id: registry, schema_id: schemaId(schema) }
  const more = { credentialSchema: { id: schema, type: 'JsonSchemaValidator2018' } }
  const ask = (data: Json, point: Json, others: JsonObject = {}) =>
    at(data, point, { trustRegistryId: registry, ...others })

  beforeAll(async () => {
    const texts = { convener: 'did:svc:x', pending_convener: null, name: 'R', gov_framework: '', version: 1 }
    await verifier.ledger.row('trust_registry', { registry_id: registry, ...texts, from_block: 5, to_block: null })
    await verifier.ledger.row('registry_schema', { ...place, is_public: false, from_block: 6, to_block: null })
    listed = await verifier.did()
    await verifier.ledger.row('issuer', { ...place, did: listed.did, prices: {}, from_block: 20, to_block: null })
    const about = { trust_registry_id: registry, schema_id: place.schema_id, subject: listed.did }
    const event = { block: 20, index: 7, name: 'TrustRegistry.IssuerChanged', after: { prices: {} } }
    await verifier.ledger.event({ ...about, ...event })
  })

  it('is told with the event that gave it', async () => {
    const document = await credential(listed.key, { more })
    expect(checkOf(await ask(document, 60), 'issuerAuthorised')).toMatchObject({ passed: true, event: '20-7' })
    expect(checkOf(await ask(document, 19), 'issuerAuthorised')).not.toHaveProperty('event')
  })

  it('is asked for only with a registry; a suspended issuer is refused from the block of its suspension', async () => {
    const { did, key } = await verifier.did()
    await verifier.ledger.row('issuer', { ...place, did, prices: {}, from_block: 20, to_block: null })
    await verifier.ledger.row('suspension', { registry_id: registry, did, from_block: 70, to_block: 90 })
    const document = await credential(key, { more })
    expect(checkOf(await verifier.verify(document), 'issuerAuthorised').passed).toBeNull()
    expect(checkOf(await ask(document, 69), 'issuerAuthorised')).toEqual({
      check: 'issuerAuthorised',
      passed: true,
      required: true,
      reason: 'direct',
      block: 69,
      since: expect.stringMatching(/^2026-/),
      explanation: expect.stringContaining('for the registry lists it as issuer, since 2026-'),
    })
    expectFailure(await ask(document, 70), 'issuerAuthorised', 'suspended')
    expect(checkOf(await ask(document, 90), 'issuerAuthorised').passed).toBe(true)
    expect(checkOf(await ask(document, 69), 'verifierPermitted').passed).toBeNull()
    for (const verifierDID of [did, 'did:web:verifier.example', `${did} `])
      expectFailure(await ask(document, 69, { verifierDID }), 'verifierPermitted', 'not_listed')
  })

  it('names the issuer in whose name a delegate issues, until it is suspended', async () => {
    const [delegator, { did: delegate, key }] = [await verifier.did(), await verifier.did()]
    const held = { registry_id: registry, issuer: delegator.did, issuer_order: '00', delegate }
    await verifier.ledger.row('issuer', { ...place, did: delegator.did, prices: {}, from_block: 20, to_block: null })
    await verifier.ledger.row('delegation', { ...held, from_block: 30, to_block: 80 })
    await verifier.ledger.row('suspension', { registry_id: registry, did: delegator.did, from_block: 70, to_block: 75 })
    const document = await credential(key, { more })
    const found = { passed: true, reason: 'delegated', via: delegator.did, block: 69 }
    expect(checkOf(await ask(document, 69), 'issuerAuthorised')).toMatchObject(found)
    expectFailure(await ask(document, 70), 'issuerAuthorised', 'delegator_suspended')
    for (const point of [29, 80]) expectFailure(await ask(document, point), 'issuerAuthorised', 'not_listed')
  })

  it('fails for whoever is not listed, for unknown registries and for credentials without a schema', async () => {
    const { key } = await verifier.did()
    const document = await credential(key, { more })
    expectFailure(await ask(document, 60), 'issuerAuthorised', 'not_listed')
    expectFailure(await ask(await credential(key), 60), 'issuerAuthorised', 'unknown_schema')
    for (const unknown of [hex32(0xb2), 'no-such-slug'])
      expectFailure(await at(document, 60, { trustRegistryId: unknown }), 'issuerAuthorised', 'unknown_registry')
  })

  it('takes the id of the registry with or without 0x, in either case', async () => {
    const { did, key } = await verifier.did()
    await verifier.ledger.row('issuer', { ...place, did, prices: {}, from_block: 20, to_block: null })
    const document = await credential(key, { more })
    const bare = registry.slice(2)
    for (const trustRegistryId of [bare, bare.toUpperCase(), `0x${bare.toUpperCase()}`, `0X${bare}`, ` 0x${bare} `])
      expect(checkOf(await at(document, 60, { trustRegistryId }), 'issuerAuthorised').passed).toBe(true)
  })

  it('says what is missing, a registry or a schema, without asking the ledger', async () => {
    const point = await resolveAt(verifier.ledger.index, 60, { now: () => timeOf(100) })
    const { did } = await verifier.did()
    const found = (trustRegistryId: Hex32 | 'unknown', credentialSchema: Json) =>
      issuerAuthorised(
        verifier.environment,
        { trustRegistryId, verifierDID: undefined },
        claimsOf({ issuer: did, credentialSchema }),
        point,
      )
    expect(await found('unknown', more.credentialSchema)).toEqual({
      passed: false,
      reason: 'unknown_registry',
      detail: 'there is no such registry',
    })
    for (const none of [null, {}, [schema, `${schema}2`]])
      expect(await found(registry, none)).toEqual({
        passed: false,
        reason: 'unknown_schema',
        detail: expect.stringContaining('does not name exactly one'),
      })
  })

  it('tells no more than the ledger says, and asks nothing without a registry or a verifier', async () => {
    const { did } = await verifier.did()
    const point = await resolveAt(verifier.ledger.index, 60, { now: () => timeOf(100) })
    const claims = claimsOf({ issuer: did, ...more })
    const found = await issuerAuthorised(
      verifier.environment,
      { trustRegistryId: registry, verifierDID: undefined },
      claims,
      point,
    )
    expect(Object.keys(found).sort()).toEqual(['block', 'detail', 'explanation', 'passed', 'reason'])
    for (const question of [
      { trustRegistryId: undefined, verifierDID: did },
      { trustRegistryId: registry, verifierDID: undefined },
    ])
      expect(await verifierPermitted(verifier.environment, question, claims, point)).toEqual({ passed: null })
    const nobody = { trustRegistryId: registry, verifierDID: undefined }
    for (const issuer of ['https://v.example/', undefined])
      expect(await issuerAuthorised(verifier.environment, nobody, { ...claims, issuer }, point)).toMatchObject({
        passed: false,
        reason: 'not_listed',
        detail: expect.stringContaining('no DID'),
      })
  })

  it('a schema that stands elsewhere fails closed', async () => {
    const { key } = await verifier.did()
    expectFailure(await verifier.verify(await credential(key, { more })), 'schema', 'unavailable')
  })
})

describe('presentations', () => {
  it('verify with all their credentials, the checks of each in its result', async () => {
    const { key } = await verifier.did()
    const holder = testKey()
    const document = await presentation(holder, [await credential(key), await credential(testKey())], {
      challenge: 'c',
      domain: 'd',
    })
    const answer = await verifier.verify({ data: document, challenge: 'c', domain: 'd' })
    expect(answer.body.verified).toBe(true)
    expect(answer.body.results).toHaveLength(3)
    for (const result of answer.body.results) expect(result.checks.map(({ check }: ToldCheck) => check)).toEqual(CHECKS)
    for (const name of ['holder', 'challenge']) expect(checkOf(answer, name).passed).toBe(true)
  })

  it('are refused for another challenge or domain, or none', async () => {
    const document = await presentation(testKey(), [await credential(testKey())], { challenge: 'c', domain: 'd' })
    expectFailure(await verifier.verify({ data: document, challenge: 'x' }), 'challenge', 'wrong_challenge')
    expectFailure(await verifier.verify({ data: document, challenge: 'c', domain: 'x' }), 'challenge', 'wrong_domain')
    const without = await presentation(testKey(), [await credential(testKey())])
    expectFailure(await verifier.verify({ data: without, challenge: 'c' }), 'challenge', 'wrong_challenge')
    expect((await verifier.verify(without)).body.verified).toBe(true)
  })

  it('answer a challenge or a domain alone', async () => {
    const document = await presentation(testKey(), [await credential(testKey())], { challenge: 'c', domain: 'd' })
    for (const question of [{ challenge: 'c' }, { domain: 'd' }])
      expect(checkOf(await verifier.verify({ data: document, ...question }), 'challenge')).toMatchObject({
        passed: true,
      })
    expectFailure(await verifier.verify({ data: document, domain: 'x' }), 'challenge', 'wrong_domain')
    expect(checkOf(await verifier.verify(document), 'challenge').passed).toBeNull()
  })

  it('need the contexts of their credentials, one or several', async () => {
    const inside = await credential(testKey())
    const document = await presentation(testKey(), [inside])
    const url = 'https://nowhere.invalid/context'
    const altered = { ...inside, '@context': [...inside['@context'], url] }
    for (const verifiableCredential of [altered, [inside, altered]]) {
      const { body } = await verifier.verify({ ...document, verifiableCredential })
      expect(body.results.at(-1).error).toContain(`the context ${url} is not available: `)
    }
  })

  it('have no holder for the reason for which their proof or their key does not count', async () => {
    const { key } = await verifier.did({ to: 70, endReason: 'revoked' })
    const inside = [await credential(testKey())]
    const revoked = await verifier.verify(await presentation(key, inside))
    expect(checkOf(revoked, 'holder')).toMatchObject({ passed: false, reason: 'key_revoked' })
    const changed = { ...(await presentation(testKey(), inside)), id: 'urn:uuid:other' }
    expect(checkOf(await verifier.verify(changed), 'holder')).toMatchObject({
      passed: false,
      reason: 'invalid_signature',
    })
    const foreign = await presentation(testKey(), inside)
    const typeless = { ...foreign, proof: { ...foreign.proof, type: 'X' } }
    expect(checkOf(await verifier.verify(typeless), 'holder')).toMatchObject({
      passed: false,
      reason: 'unsupported_proof',
    })
  })

  it.each<[JsonObject, string]>([
    [{ expirationDate: timeOf(99).toISOString() }, 'expired'],
    [{ validUntil: timeOf(99).toISOString() }, 'expired'],
    [{ validFrom: timeOf(1000).toISOString() }, 'not_yet_valid'],
  ])('are good only as long as they say themselves, %j', async (dates, reason) => {
    const contexts = [
      ...['https://www.w3.org/2018/credentials/v1', 'https://w3id.org/security/suites/ed25519-2020/v1'],
      { '@vocab': 'https://vocabulary.example/#' },
    ]
    const inside = [await credential(testKey())]
    const present = (more: JsonObject) => presentation(testKey(), inside, { more: { '@context': contexts, ...more } })
    expectFailure(await verifier.verify(await present(dates)), 'validity', reason)
    expect((await verifier.verify(await present({ validUntil: timeOf(101).toISOString() }))).body.verified).toBe(true)
  })

  it.each(['credentialStatus', 'credentialSchema', 'credentialSubject'])(
    'carry no %s of their own, which nobody would look at',
    async (name) => {
      const context = ['https://www.w3.org/2018/credentials/v1', { '@vocab': 'https://vocabulary.example/#' }]
      const more = { '@context': context, [name]: { id: 'urn:x', type: 'X' } }
      const document = await presentation(testKey(), [await credential(testKey())], { more })
      const answer = await verifier.verify(document)
      expectFailure(answer, 'structure', 'malformed')
      expect(answer.body.error).toContain(name)
    },
  )

  it('only they answer a challenge: a bare credential does not', async () => {
    const document = await credential(testKey())
    for (const question of [{ challenge: 'c' }, { domain: 'd' }])
      expectFailure(await verifier.verify({ data: document, ...question }), 'challenge', 'no_presentation')
  })

  it('are refused unread when they are too large', async () => {
    const inside = await credential(testKey())
    const document = await presentation(testKey(), [inside])
    const many = Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`c${i}`, i]))
    const alike = { c: Array(1_001).fill({}) }
    for (const credentialSubject of [many, alike, { text: 'x'.repeat(600_000) }])
      expectFailure(
        await verifier.verify({ ...document, verifiableCredential: [{ ...inside, credentialSubject }] }),
        'structure',
        'too_large',
      )
    const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)
    expectFailure(await verifier.verify({ ...document, deep }), 'structure', 'too_large')
  })

  it('are refused when one credential is unsigned, revoked or a token, and say which', async () => {
    const good = await credential(testKey())
    const { proof: _, ...unsigned } = good
    for (const bad of [unsigned, 'eyJh.eyJ2.c2ln', { ...good, issuanceDate: '2020-01-01T00:00:00Z' }]) {
      const answer = await verifier.verify(
        await presentation(testKey(), [good, good]).then((d) => ({ ...d, verifiableCredential: [good, bad] })),
      )
      expect(answer.body.verified).toBe(false)
      expect(answer.body.results.map(({ verified }: { verified: boolean }) => verified).slice(0, 2)).toEqual([
        true,
        false,
      ])
    }
  })

  it('are refused when somebody else signed, when unsigned, empty, or overfull', async () => {
    const holder = testKey()
    const inside = [await credential(testKey())]
    const stolen = await presentation(testKey(), inside, { more: { holder: holder.did } })
    expectFailure(await verifier.verify(stolen), 'holder', 'not_the_issuer')
    const { proof: _, ...unsigned } = await presentation(holder, inside)
    expectFailure(await verifier.verify(unsigned), 'structure', 'malformed')
    expectFailure(await verifier.verify(await presentation(holder, [])), 'structure', 'malformed')
    expectFailure(
      await verifier.verify({ ...unsigned, proof: {}, verifiableCredential: Array(40).fill({}) }),
      'structure',
      'too_large',
    )
  })
})
