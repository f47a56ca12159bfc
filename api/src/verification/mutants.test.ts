import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asArray, type Json, type JsonObject } from '../formats/json.js'
import { mutantOf } from '../formats/json-ld/mutants.testing.js'
import { eddsaJcs2022 } from '../formats/json-ld/suites/eddsa-jcs-2022.js'
import { eddsaRdfc2022 } from '../formats/json-ld/suites/eddsa-rdfc-2022.js'
import { signedOf, testKey } from '../formats/json-ld/testing.js'
import { W3C_EXAMPLES } from '../formats/json-ld/w3c-examples.testing.js'
import { W3C_EXAMPLES_2 } from '../formats/json-ld/w3c-examples-2.testing.js'
import { schemas } from '../schemas/operations.js'
import { checkOf, credential, presentation, TestVerifier, timeOf } from './testing.js'

const RUNS = Number(process.env.SOAK_MUTANTS ?? 200)

let verifier: TestVerifier
let good: JsonObject[]
beforeAll(async () => {
  verifier = await TestVerifier.open([schemas])
  good = await goodDocuments()
})
afterAll(() => verifier.close())

async function hostedSchema(): Promise<string> {
  const { body } = await verifier.post('/schemas', {
    $schema: 'http://json-schema.org/draft-07/schema#',
    name: 'Degree',
    type: 'object',
    properties: { degree: { type: 'string' } },
  })
  return body.data.uri
}

async function goodDocuments(): Promise<JsonObject[]> {
  const { key } = await verifier.did()
  const list = `${verifier.apiUrl}/status-lists/${(await verifier.registry(0xa1)).slice(2)}`
  const nested = {
    credentialSubject: {
      id: 'did:example:a',
      type: 'Exam',
      tags: ['x', 'y', 'x', ''],
      none: [],
      empty: {},
      matrix: [[1, 2], [], [{ deep: 0.25 }]],
      home: { street: 'Main', owner: { id: 'did:example:b' } },
      local: { id: '1234', level: 0 },
      title: { '@value': 'Abschluss', '@language': 'de' },
      passed: false,
    },
  }
  const rich = {
    name: 'Degree',
    description: '',
    issuer: { id: key.did, name: 'University', logo: 'https://issuer.example/logo.png' },
    expirationDate: '2027-01-01T00:00:00Z',
    evidence: [{ id: 'urn:e:1', type: 'Exam', kind: 'a' }, { kind: 'b' }],
    termsOfUse: { type: 'Policy', rule: 'none' },
    refreshService: { id: 'https://issuer.example/refresh', type: 'Manual' },
  }
  const several = {
    credentialSubject: [
      { id: 'did:example:a', zero: 0 },
      { id: 'did:example:b', no: false },
    ],
    credentialStatus: verifier.statusEntry(list, 7),
  }
  const withSchema = {
    type: ['VerifiableCredential', 'Degree'],
    credentialSchema: { id: await hostedSchema(), type: 'JsonSchemaValidator2018' },
  }
  const credentials = await Promise.all([
    credential(key),
    ...[nested, rich, several, withSchema].map((more) => credential(key, { more })),
    credential(testKey(), {
      contexts: [{ degree: { '@id': 'https://v.example/degree', '@type': '@id' } }],
      more: LINK,
    }),
    credential(testKey(), { contexts: [{ '@vocab': 'https://v.example/' }] }),
    ...Object.values(W3C_EXAMPLES).map(({ '@context': context, issuer: _issuer, expirationDate: _end, ...more }) =>
      credential(testKey(), { contexts: asArray(context), more }),
    ),
    ...[eddsaRdfc2022, eddsaJcs2022].flatMap((suite) =>
      Object.values(W3C_EXAMPLES_2).map(({ '@context': context, issuer: _issuer, credentialSchema: _, ...more }) =>
        signedOf(testKey(), suite, { contexts: asArray(context), more, options: SIGNED }),
      ),
    ),
  ])
  const holder = testKey()
  const questions = { challenge: 'c', domain: 'd' }
  return [
    ...credentials,
    await presentation(holder, credentials.slice(0, 2)),
    await presentation(holder, credentials.slice(2, 4), questions),
  ]
}
const SIGNED = {
  created: timeOf(50).toISOString(),
  expires: '2090-01-01T00:00:00Z',
  domain: ['a.example', 'b.example'],
}

const LINK = { credentialSubject: { id: 'did:example:a', degree: 'https://v.example/physics' } }

const isVerified = async (document: JsonObject): Promise<boolean> => {
  const { status, body } = await verifier.verify({ data: document })
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body.verified
}

it('good credentials and presentations of every shape verify', async () => {
  const answers = await Promise.all(good.map((data) => verifier.verify({ data })))
  for (const { body } of answers) expect(body).toMatchObject({ verified: true })
})

it('none of them verifies with one member more, one less, or another value', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...good).chain((document) => mutantOf(document)),
      async ({ what, document }) => {
        if (await isVerified(document)) throw new Error(`verified with ${what}`)
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
})

const NO_TEXTS: Json[] = [['urn:x:1'], { id: 'urn:x:1' }, [], {}, null, 1, true]
const TEXTS = [
  'id',
  'issuanceDate',
  'expirationDate',
  'validFrom',
  'validUntil',
  'previousCredentialId',
  'rootCredentialId',
]

it('a member that is read as a text is refused as anything else, by its name', async () => {
  const original = await credential(testKey())
  for (const name of TEXTS)
    for (const value of NO_TEXTS) {
      const answer = await verifier.verify({ data: { ...original, [name]: value } })
      expect(checkOf(answer, 'structure'), name).toMatchObject({ passed: false, reason: 'malformed' })
      expect(answer.body.error).toContain(`its ${name} is no text`)
    }
})

it('a link of a delegation chain is one in whatever form it names the one before', async () => {
  for (const previousCredentialId of ['urn:x:1', '', ['urn:x:1'], { id: 'urn:x:1', note: 'x' }, 7]) {
    const { body } = await verifier.verify(await credential(testKey(), { more: { previousCredentialId } }))
    expect(body.verified, JSON.stringify(previousCredentialId)).toBe(false)
  }
})

it('a holder without a name is nobody, and no stranger may sign for it', async () => {
  const inside = [await credential(testKey())]
  for (const holder of [{ type: 'VerifiableCredential' }, { id: 'did:example:a', type: 'VerifiableCredential' }]) {
    const { body } = await verifier.verify(await presentation(testKey(), inside, { more: { holder } }))
    expect(body.verified).toBe(false)
  }
})

it('each proof of a presentation carries the challenge and the domain: one that does cannot speak for another', async () => {
  const holder = testKey()
  const inside = [await credential(testKey())]
  const asked = { challenge: 'c', domain: 'd' }
  const right = await presentation(holder, inside, asked)
  expect((await verifier.verify({ data: right, ...asked })).body.verified).toBe(true)
  for (const [other, reason] of [
    [{ ...asked, challenge: 'x' }, 'wrong_challenge'],
    [{ ...asked, domain: 'x' }, 'wrong_domain'],
    [{}, 'wrong_challenge'],
  ] as const) {
    const { proof } = await presentation(holder, inside, other)
    for (const both of [
      [right.proof, proof],
      [proof, right.proof],
    ]) {
      const answer = await verifier.verify({ data: { ...right, proof: both }, ...asked })
      expect([checkOf(answer, 'proof').passed, checkOf(answer, 'challenge')]).toMatchObject([
        true,
        { passed: false, reason },
      ])
      expect(answer.body.verified).toBe(false)
    }
  }
})

it('every subject must satisfy the schema, not only the first', async () => {
  const credentialSchema = { id: await hostedSchema(), type: 'JsonSchemaValidator2018' }
  const [fine, wrong] = [{ degree: 'M.Sc.' }, { degree: 7 }]
  const { key } = await verifier.did()
  const cases: [JsonObject[], boolean][] = [
    [[fine, fine], true],
    [[fine, wrong], false],
    [[fine, fine, wrong], false],
    [[wrong, fine], false],
  ]
  for (const [credentialSubject, isFine] of cases) {
    const more = { credentialSchema, credentialSubject: credentialSubject.map((one) => ({ ...one })) }
    const answer = await verifier.verify(await credential(key, { more }))
    expect(checkOf(answer, 'schema').passed).toBe(isFine)
    expect(answer.body.verified).toBe(isFine)
  }
})
