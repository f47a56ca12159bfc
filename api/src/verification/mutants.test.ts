import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { schemas } from '../schemas/index.js'
import type { JsonObject } from '../suites/json.js'
import { mutantOf } from '../suites/mutants.testing.js'
import { testKey } from '../suites/testing.js'
import { credential, presentation, TestVerifier } from './testing.js'

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
  ])
  const holder = testKey()
  const questions = { challenge: 'c', domain: 'd' }
  return [
    ...credentials,
    await presentation(holder, credentials.slice(0, 2)),
    await presentation(holder, credentials.slice(2, 4), questions),
  ]
}
const LINK = { credentialSubject: { id: 'did:example:a', degree: 'https://v.example/physics' } }

const isVerified = async (document: JsonObject): Promise<boolean> => {
  const { status, body } = await verifier.verify({ data: document })
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body.verified
}

it('good credentials and presentations of every shape verify', async () => {
  const answers = await Promise.all(good.map((data) => verifier.verify({ data })))
  for (const { body } of answers) expect(body.error).toBeUndefined()
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
