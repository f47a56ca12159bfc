import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKS } from '../formats/check.js'
import type { Json, JsonObject } from '../formats/json.js'
import { VOCABULARY } from '../formats/json-ld/contexts/terms.js'
import { ed25519Of2018 } from '../formats/json-ld/suites/ed25519-2018.js'
import { signedCredential, testKey } from '../formats/json-ld/testing.js'
import { NO_DATES } from '../ledger/testing/dates.js'
import { MAX_LAG_MS } from '../ledger/testing/test-index.js'
import { checkOf, credential, expectFailure, TestVerifier, type ToldCheck, timeOf } from './testing.js'

let verifier: TestVerifier
beforeAll(async () => {
  verifier = await TestVerifier.open()
})
afterAll(() => verifier.close())

const at = (data: Json, point: Json, more?: JsonObject) => verifier.at(data, point, more)

describe('POST /verify', () => {
  it('names every check in order, and the block it speaks of', async () => {
    const { key } = await verifier.did()
    const answer = await verifier.verify(await credential(key))
    expect(answer.body.verified).toBe(true)
    expect(answer.body.checks.map(({ check }: ToldCheck) => check)).toEqual(CHECKS)
    expect(checkOf(answer, 'issuerKey')).toEqual({ check: 'issuerKey', passed: true, required: true, block: 100 })
    expect(checkOf(answer, 'status').passed).toBeNull()
    expect(answer.body.results).toEqual([
      expect.objectContaining({
        verified: true,
        proof: expect.any(Object),
        verificationMethod: expect.objectContaining({ id: key.keyId }),
      }),
    ])
  })

  it('takes the bare document and the wrapped one alike', async () => {
    const { key } = await verifier.did()
    const document = await credential(key)
    expect((await verifier.verify({ data: document })).body).toEqual((await verifier.verify(document)).body)
  })

  it('verifies a did:key and an Ed25519Signature2018', async () => {
    expect((await verifier.verify(await credential(testKey()))).body.verified).toBe(true)
    expect((await verifier.verify(await signedCredential(testKey(), ed25519Of2018))).body.verified).toBe(true)
  })

  it.each<[string, (d: JsonObject) => Json, string, string]>([
    [
      'a changed claim',
      (d) => ({ ...d, credentialSubject: { id: 'did:example:graduate', degree: 'Ph.D.' } }),
      'proof',
      'invalid_signature',
    ],
    ['an added claim', (d) => ({ ...d, smuggled: 1 }), 'proof', 'unmapped_term'],
    [
      'an unknown context',
      (d) => ({ ...d, '@context': [...(d['@context'] as Json[]), 'https://nowhere.invalid/'] }),
      'proof',
      'unavailable',
    ],
    ['no proof', ({ proof: _, ...d }) => d, 'structure', 'malformed'],
    ['an empty list of proofs', (d) => ({ ...d, proof: [] }), 'structure', 'malformed'],
    [
      'a second proof that is wrong',
      (d) => ({ ...d, proof: [d.proof ?? null, { ...(d.proof as JsonObject), created: '2026-01-01T00:00:01Z' }] }),
      'proof',
      'invalid_signature',
    ],
    [
      'another type of proof',
      (d) => ({ ...d, proof: { ...(d.proof as JsonObject), type: 'JcsEd25519Signature2020' } }),
      'proof',
      'unsupported_proof',
    ],
    [
      'the purpose of a presentation',
      (d) => ({ ...d, proof: { ...(d.proof as JsonObject), proofPurpose: 'authentication' } }),
      'proof',
      'wrong_purpose',
    ],
    [
      'a proof that names no key',
      (d) => ({ ...d, proof: { ...(d.proof as JsonObject), verificationMethod: 7 } }),
      'proof',
      'malformed',
    ],
    [
      'a key that there is not',
      (d) => ({ ...d, proof: { ...(d.proof as JsonObject), verificationMethod: `${d.issuer}#keys-9` } }),
      'proof',
      'no_key',
    ],
    [
      'a context in the proof',
      (d) => ({ ...d, proof: { ...(d.proof as JsonObject), '@context': {} } }),
      'structure',
      'malformed',
    ],
    [
      'a context that is none',
      (d) => ({ ...d, '@context': [...(d['@context'] as Json[]), { '@import': 'https://v.example/' }] }),
      'proof',
      'invalid_context',
    ],
    [
      'a context that is none, in its form',
      (d) => ({ ...d, '@context': [...(d['@context'] as Json[]), { '@import': 'https://v.example/' }] }),
      'structure',
      'malformed',
    ],
    ['an issuer who did not sign', (d) => ({ ...d, issuer: 'did:svc:1111' }), 'issuerKey', 'not_the_issuer'],
    [
      'a method that cannot be resolved',
      (d) => ({ ...d, proof: { ...(d.proof as JsonObject), verificationMethod: 'did:web:example.org#1' } }),
      'issuerKey',
      'not_the_issuer',
    ],
    [
      'metadata instead of the credential',
      (d) => ({ id: d.id ?? '', byteSize: 1, createdAt: '', credential: null }),
      'structure',
      'malformed',
    ],
    ['a compact token that is none', () => 'eyJh.eyJ2.c2ln', 'structure', 'malformed'],
    ['any text', () => 'hello', 'structure', 'malformed'],
    ['nesting of 100', () => JSON.parse(`${'{"@context":'.repeat(90)}1${'}'.repeat(90)}`), 'structure', 'malformed'],
    [
      '200 claims',
      (d) => ({ ...d, credentialSubject: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`c${i}`, i])) }),
      'structure',
      'too_large',
    ],
  ])('refuses %s, and says why', async (_, change, check, reason) => {
    const { key } = await verifier.did()
    expectFailure(await verifier.verify({ data: change(await credential(key)) }), check, reason)
  })

  it('says that a DID method is not supported', async () => {
    const key = testKey()
    expectFailure(
      await verifier.verify(await credential({ ...key, did: 'did:ebsi:z2', keyId: 'did:ebsi:z2#1' })),
      'issuerKey',
      'did_method_not_supported',
    )
  })

  it.each<[string, Json]>([
    ['nothing', {}],
    ['no data', { data: null }],
    ['a number as data', { data: 7 }],
    ['a list', []],
    ['a registry that is no text', { data: 'x', trustRegistryId: 7 }],
    ['a verifier that is no DID', { data: 'x', verifierDID: 'nope' }],
    ['a verifier without a registry', { data: 'x', verifierDID: 'did:svc:0x' }],
    ['a challenge that is no text', { data: 'x', challenge: {} }],
    ...[null, '', '5', -1, 1.5, true, [], 1e300].map((age): [string, Json] => [
      `maxStatusAgeSeconds: ${JSON.stringify(age)}`,
      { data: 'x', maxStatusAgeSeconds: age },
    ]),
    ['the future', { data: 'x', at: '2999-01-01T00:00:00Z' }],
    ['before genesis', { data: 'x', at: '1999-01-01T00:00:00Z' }],
    ['no point in time', { data: 'x', at: 'yesterday' }],
    ...[null, '', 'status', [], ['holderbinding'], ['status', null], [['status']], ['toString'], { status: true }].map(
      (require): [string, Json] => [`require: ${JSON.stringify(require)}`, { data: 'x', require }],
    ),
  ])('%s is a 400', async (_, body) => {
    const answer = await verifier.verify(body)
    expect(answer).toMatchObject({
      status: 400,
      body: { status: 400, type: expect.any(String), message: expect.any(String) },
    })
  })
})

it('nothing more is looked at where the form of a credential is wrong', async () => {
  const document = await credential(testKey())
  for (const altered of [{ ...document, issuer: null }, 'eyJh.eyJ2.c2ln']) {
    const answer = await verifier.verify(altered)
    expect(checkOf(answer, 'structure')).toMatchObject({ passed: false })
    expect(checkOf(answer, 'proof')).toMatchObject({ passed: false, reason: 'not_checked' })
    expect(answer.body.results).toEqual([])
  }
})

it('a failure elsewhere leaves the check of the form alone', async () => {
  const document = await credential(testKey())
  for (const altered of [
    { ...document, smuggled: 1 },
    { ...document, id: 'urn:uuid:other' },
  ])
    expect(checkOf(await verifier.verify(altered), 'structure')).toMatchObject({ passed: true })
})

it('a context that cannot be had is told by its address, shortened', async () => {
  const url = `https://nowhere.invalid/${'x'.repeat(200)}`
  const document = await credential(testKey())
  const { body } = await verifier.verify({ ...document, '@context': [...document['@context'], url] })
  expect(body.error).toContain(`the context ${url.slice(0, 200)} is not available`)
})

describe('the life of a key', () => {
  it('a key that is not yet on the ledger is refused, and accepted from its block', async () => {
    const { key } = await verifier.did({ from: 60 })
    const document = await credential(key)
    expectFailure(await at(document, 59), 'issuerKey', 'key_not_yet')
    expect((await at(document, 60)).body.verified).toBe(true)
  })

  it.each(['retired', 'deactivated'] as const)(
    'a %s key stays good for what it signed before, not after',
    async (endReason) => {
      const { key } = await verifier.did({ to: 70, endReason })
      const [before, after] = await Promise.all(
        [50, 80].map((block) => credential(key, { created: timeOf(block).toISOString() })),
      )
      expect((await verifier.verify(before ?? {})).body.verified).toBe(true)
      expectFailure(await verifier.verify(after ?? {}), 'issuerKey', 'key_retired')
      expect((await at(before ?? {}, 65)).body.verified).toBe(true)
    },
  )

  it('a revoked key is never trusted, not even in the past', async () => {
    const { key } = await verifier.did({ to: 70, endReason: 'revoked' })
    const document = await credential(key)
    for (const point of [60, 69, 70, 100]) expectFailure(await at(document, point), 'issuerKey', 'key_revoked')
  })

  it('a key without assertionMethod does not issue', async () => {
    const { key } = await verifier.did({ relationships: 5 })
    expectFailure(await verifier.verify(await credential(key)), 'issuerKey', 'wrong_relationship')
  })

  it('a key of nobody is not found', async () => {
    const { key } = await verifier.did()
    const document = await credential({ ...key, keyId: `${key.did}#keys-2` })
    expectFailure(await verifier.verify(document), 'issuerKey', 'key_not_found')
    expect(checkOf(await verifier.verify(document), 'proof').passed).toBe(false)
  })
})

describe('validity', () => {
  it.each<[string, JsonObject, string | undefined]>([
    ['expired', { expirationDate: timeOf(90).toISOString() }, 'expired'],
    ['expiring this moment', { expirationDate: timeOf(100).toISOString() }, 'expired'],
    ['expiring later', { expirationDate: timeOf(101).toISOString() }, undefined],
    ['issued in the future', { issuanceDate: timeOf(200).toISOString() }, 'not_yet_valid'],
    ['without a readable date', { expirationDate: 'soon' }, 'unreadable_date'],
    ['with a date without zone', { issuanceDate: '2026-01-01T00:00:00' }, 'unreadable_date'],
    ...Object.entries(NO_DATES).map(([what, expirationDate]): [string, JsonObject, string] => [
      `with ${what}`,
      { expirationDate },
      'unreadable_date',
    ]),
  ])('%s', async (_, more, reason) => {
    const { key } = await verifier.did()
    const answer = await verifier.verify(await credential(key, { more }))
    if (reason === undefined) expect(answer.body.verified).toBe(true)
    else expectFailure(answer, 'validity', reason)
  })

  it('is looked at where `at` stands: not signed yet, valid, expired', async () => {
    const { key } = await verifier.did()
    const document = await credential(key, {
      more: { issuanceDate: timeOf(20).toISOString(), expirationDate: timeOf(80).toISOString() },
    })
    expectFailure(await at(document, timeOf(15).toISOString()), 'validity', 'not_yet_valid')
    expectFailure(await at(document, timeOf(40).toISOString()), 'validity', 'signed_later')
    expect((await at(document, timeOf(60).toISOString())).body.verified).toBe(true)
    expectFailure(await at(document, timeOf(80).toISOString()), 'validity', 'expired')
  })
})

it('claims cannot be swapped by swapping their terms', async () => {
  const { key } = await verifier.did()
  const {
    '@context': context,
    credentialSubject,
    ...rest
  } = await credential(key, { more: { credentialSubject: { grade: 'A', name: 'B' } } })
  expect(credentialSubject).toBeDefined()
  const swap = {
    grade: `${VOCABULARY}name`,
    name: `${VOCABULARY}grade`,
    UniversityDegreeCredential: `${VOCABULARY}UniversityDegreeCredential`,
  }
  const swapped = {
    ...rest,
    '@context': [...context.slice(0, 2), swap],
    credentialSubject: { grade: 'B', name: 'A' },
  }
  expectFailure(await verifier.verify(swapped), 'structure', 'malformed')
})

it('an index that lags answers 503, and still knows the past', async () => {
  const document = await credential(testKey())
  await verifier.ledger.finality({ height: 200, behindMsAgo: MAX_LAG_MS + 1 })
  const answer = await verifier.verify(document)
  const past = await at(document, 60)
  await verifier.ledger.finality({ height: 100 })
  expect(answer).toMatchObject({ status: 503, body: { type: 'ledger_unavailable' } })
  expect(past.body.verified).toBe(true)
})
