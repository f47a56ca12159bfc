import { schemaId } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKS } from '../formats/check.js'
import type { Json, JsonObject } from '../formats/json.js'
import { type TestKey, testKey } from '../formats/json-ld/testing.js'
import { insertSchema } from '../schemas/schema.store.js'
import { checkOf, credential, hex32, presentation, START, TestVerifier, timeOf } from './testing.js'

let verifier: TestVerifier
beforeAll(async () => {
  verifier = await TestVerifier.open()
})
afterAll(() => verifier.close())

const ask = (data: Json, more: JsonObject = {}) => verifier.verify({ data, ...more })
const requiring = (...checks: string[]): JsonObject => ({ require: checks })
const iso = (block: number): string => timeOf(block).toISOString()

describe('the checks that a request requires', () => {
  it('must pass: each check by itself, on a credential and on a presentation of two', async () => {
    const about = testKey()
    const one = await credential(testKey(), { more: { credentialSubject: { id: about.did } } })
    for (const document of [one, await presentation(about, [one, one])]) {
      const { body } = await ask(document)
      expect(body.verified).toBe(true)
      for (const { check, passed } of body.checks) {
        const answer = await ask(document, requiring(check))
        expect([check, answer.body.verified]).toEqual([check, passed === true])
        expect(checkOf(answer, check)).toMatchObject({ passed, required: true })
      }
    }
  })

  it('is told with the names that there are when it names none of them', async () => {
    const answer = await ask('x', requiring('holderbinding'))
    expect(answer).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
    for (const check of CHECKS) expect(answer.body.message).toContain(check)
  })
})

describe('authorisedWhenIssued', () => {
  const registry = hex32(0xc1)
  let more: JsonObject
  let issuer: TestKey

  beforeAll(async () => {
    const { team } = verifier.team
    const document = { type: 'object' }
    const made = { team, name: 'Degree', document, base: verifier.apiUrl, now: START }
    const { id: schema } = await verifier.scratch.db.transaction('system', (tx) => insertSchema(tx, made))
    const place = { registry_id: registry, schema_id: schemaId(schema) }
    more = { credentialSchema: { id: schema, type: 'JsonSchemaValidator2018' } }
    const texts = { convener: 'did:svc:x', pending_convener: null, name: 'R', gov_framework: '', version: 1 }
    await verifier.ledger.row('trust_registry', { registry_id: registry, ...texts, from_block: 5, to_block: null })
    await verifier.ledger.row('registry_schema', { ...place, is_public: false, from_block: 6, to_block: null })
    const { did, key } = await verifier.did()
    issuer = key
    await verifier.ledger.row('issuer', { ...place, did, prices: {}, from_block: 20, to_block: null })
    await verifier.ledger.row('suspension', { registry_id: registry, did, from_block: 40, to_block: 60 })
  })

  const signedAt = (created: string) =>
    credential(issuer, { created, more: { ...more, issuanceDate: timeOf(11).toISOString() } })
  const then = async (created: string, others: JsonObject = {}) =>
    checkOf(await ask(await signedAt(created), { trustRegistryId: registry, ...others }), 'authorisedWhenIssued')

  it('warns of an issuer suspended at the claimed time, and refuses where the check is required', async () => {
    const document = await signedAt(iso(50))
    const answer = await ask(document, { trustRegistryId: registry })
    expect([answer.body.verified, answer.body.error]).toEqual([true, undefined])
    expect(checkOf(answer, 'issuerAuthorised')).toMatchObject({ passed: true, required: true, block: 100 })
    expect(checkOf(answer, 'authorisedWhenIssued')).toMatchObject({
      passed: false,
      required: false,
      reason: 'suspended',
      basis: 'claimed',
      block: 50,
      since: iso(40),
      explanation: expect.stringContaining('for the registry suspended it, since 2026-'),
    })
    expect(answer.body.warnings).toEqual([expect.stringContaining('was not authorised when it issued: suspended')])
    const strict = await ask(document, { trustRegistryId: registry, ...requiring('authorisedWhenIssued') })
    expect(checkOf(strict, 'authorisedWhenIssued')).toMatchObject({ passed: false, required: true })
    expect(strict.body).toMatchObject({ verified: false, error: expect.stringContaining('suspended') })
    expect(strict.body.warnings).toBeUndefined()
    const good = await ask(await signedAt(iso(30)), { trustRegistryId: registry, ...requiring('authorisedWhenIssued') })
    expect(good.body.verified).toBe(true)
  })

  it('turns with the block: the last one at or before the claimed time counts', async () => {
    const before = (block: number): string => new Date(timeOf(block).getTime() - 1).toISOString()
    for (const [created, passed, block] of [
      [before(20), false, 19],
      [iso(20), true, 20],
      [before(40), true, 39],
      [iso(40), false, 40],
      [before(60), false, 59],
      [iso(60), true, 60],
    ] as const)
      expect([created, await then(created)]).toMatchObject([created, { passed, block, basis: 'claimed' }])
  })

  it('fails for a time before the first block, in the future, or that nobody can read', async () => {
    const long = new Date(START.getTime() - 1).toISOString()
    expect(await then(long)).toMatchObject({ passed: false, reason: 'before_ledger', basis: 'claimed' })
    expect(await then(iso(103))).toMatchObject({ passed: false, reason: 'signed_later' })
    expect(await then(iso(70), { at: 60 })).toMatchObject({ passed: false, reason: 'signed_later' })
    for (const created of ['2026-01-01T00:00:50', 'soon'])
      expect(await then(created)).toMatchObject({ passed: false, reason: 'unreadable_date' })
  })

  it('looks no later than the point of the answer', async () => {
    expect(await then(iso(40), { at: 39 })).toMatchObject({ passed: true, block: 39 })
    expect(await then(iso(102))).toMatchObject({ passed: true, block: 100 })
  })

  it('takes the time of every proof, and is not asked for without a registry', async () => {
    const [good, bad] = [await signedAt(iso(30)), await signedAt(iso(50))]
    for (const proof of [
      [good.proof, bad.proof],
      [bad.proof, good.proof],
    ]) {
      const answer = await ask({ ...good, proof }, { trustRegistryId: registry })
      expect(answer.body.results).toHaveLength(2)
      expect(checkOf(answer, 'authorisedWhenIssued')).toMatchObject({ passed: false, reason: 'suspended', block: 50 })
    }
    expect(checkOf(await ask(good), 'authorisedWhenIssued')).toEqual({
      check: 'authorisedWhenIssued',
      passed: null,
      required: false,
    })
  })
})

describe('holderBinding', () => {
  const holder = testKey()
  const about = (...subjects: JsonObject[]) =>
    credential(testKey(), { more: { credentialSubject: subjects.length === 1 ? (subjects[0] ?? {}) : subjects } })
  const bindingOf = async (document: Json) => checkOf(await ask(document), 'holderBinding')

  it('passes when every subject is the holder that signed, of this ledger or a did:key', async () => {
    const { key } = await verifier.did()
    for (const who of [holder, key]) {
      const document = await presentation(who, [await about({ id: who.did, a: 1 }), await about({ id: who.did, b: 2 })])
      expect((await ask(document, requiring('holderBinding'))).body).toMatchObject({ verified: true })
    }
  })

  it.each<[string, (JsonObject | JsonObject[])[], boolean | null, string | undefined]>([
    ['somebody else', [{ id: 'did:example:graduate' }], false, 'other_subject'],
    ['nobody by name', [{ degree: 'M.Sc.' }], null, 'anonymous'],
    [
      'the holder, and somebody else beside it',
      [
        [
          { id: holder.did, a: 1 },
          { id: testKey().did, b: 2 },
        ],
      ],
      false,
      'other_subject',
    ],
    ['the holder, and nobody by name beside it', [[{ id: holder.did, a: 1 }, { b: 2 }]], null, 'anonymous'],
    ['nobody by name, and somebody else beside it', [[{ b: 2 }, { id: testKey().did, a: 1 }]], false, 'other_subject'],
    [
      'the holder, then somebody else',
      [
        { id: holder.did, a: 1 },
        { id: testKey().did, b: 2 },
      ],
      false,
      'other_subject',
    ],
    [
      'somebody else, then the holder',
      [
        { id: testKey().did, b: 2 },
        { id: holder.did, a: 1 },
      ],
      false,
      'other_subject',
    ],
    ['the holder, then nobody by name', [{ id: holder.did, a: 1 }, { b: 2 }], null, 'anonymous'],
    ['a key of the holder', [{ id: holder.keyId }], false, 'other_subject'],
    ['a path of the holder', [{ id: `${holder.did}/x` }], false, 'other_subject'],
    ['the holder in other letters', [{ id: holder.did.toUpperCase() }], false, 'other_subject'],
    ['a longer name', [{ id: `${holder.did}1` }], false, 'other_subject'],
  ])('of credentials about %s does not pass', async (_, subjects, passed, reason) => {
    const inside = await Promise.all(subjects.map((each) => about(...[each].flat())))
    const document = await presentation(holder, inside)
    const answer = await ask(document)
    expect(answer.body).toMatchObject({ verified: true, ...(passed === false && { warnings: [expect.any(String)] }) })
    expect(checkOf(answer, 'holder')).toMatchObject({ passed: true })
    expect(checkOf(answer, 'holderBinding')).toMatchObject({ passed, required: false, reason })
    expect((await ask(document, requiring('holderBinding'))).body.verified).toBe(false)
  })

  it('takes the signer for the holder where the presentation names none', async () => {
    const mine = await about({ id: holder.did, a: 1 })
    const isNameless = true
    const [own, strange] = [
      await presentation(holder, [mine], { isNameless }),
      await presentation(testKey(), [mine], { isNameless }),
    ]
    expect(await bindingOf(own)).toMatchObject({ passed: true })
    expect(await bindingOf(strange)).toMatchObject({ passed: false, reason: 'other_subject' })
    for (const proof of [
      [own.proof, strange.proof],
      [strange.proof, own.proof],
    ])
      expect(await bindingOf({ ...own, proof })).toMatchObject({ passed: false, reason: 'several_holders' })
  })

  it('does not pass when the holder did not sign, or does not say who it is', async () => {
    const mine = await about({ id: holder.did, a: 1 })
    const stolen = await presentation(testKey(), [mine], { more: { holder: holder.did } })
    const changed = { ...(await presentation(holder, [mine])), id: 'urn:uuid:other' }
    for (const document of [stolen, changed])
      expect(await bindingOf(document)).toMatchObject({ passed: false, reason: 'holder_not_proven' })
    const unknown = await presentation(holder, [mine], { more: { holder: { type: 'VerifiablePresentation' } } })
    expect(checkOf(await ask(unknown), 'structure')).toMatchObject({ passed: false, reason: 'malformed' })
  })

  it('is not asked for of a credential alone', async () => {
    const answer = await ask(await about({ id: holder.did }), requiring('holderBinding'))
    expect(answer.body.verified).toBe(false)
    expect(checkOf(answer, 'holderBinding')).toMatchObject({ passed: null, required: true, reason: 'not_applicable' })
  })
})
