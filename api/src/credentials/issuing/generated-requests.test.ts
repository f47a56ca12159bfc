import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { asArray, isObject, type Json, type JsonObject } from '../../formats/json.js'
import { anyName, anyValue } from '../../formats/json-ld/mutants.testing.js'
import { W3C_EXAMPLES } from '../../formats/json-ld/w3c-examples.testing.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { remoteHost } from '../../schemas/remote/remote-host.testing.js'
import { degree, type TestService } from '../loop.testing.js'
import { openIssuingTeam, strangeEntry } from './issuing-team.testing.js'

let service: TestService
let issuer: string
const world = forAllTests(openIssuingTeam)
beforeAll(() => {
  ;({ service, issuer } = world())
})
const host = forAllTests(remoteHost)

/** Reasons that only time, or somebody else, decides. */
const PASSING = /^(validity (expired|not_yet_valid)|(status|delegation) unavailable)$/
const EMPTY: JsonObject = { link: { '@id': 'https://v.example/link', '@type': '@id' } }

const anyDate = fc.constantFrom('2020-01-31', '2026-02-28T12:00:00+14:00', '2030-01-01T00:00:00.5Z', '2027-02-30', '')
const anySubject: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(anyName, anyValue, { maxKeys: 2, noNullPrototype: true }) },
  { weight: 3, arbitrary: fc.constantFrom<Json>(degree, {}, [degree], [degree, { id: 'urn:a', ...degree }]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>([], 'x', [{}, null], { id: 'urn:a' }, [{ id: 'urn:a' }, { id: 'urn:a' }]),
  },
)

const v = (name: string, more: JsonObject = {}): JsonObject => ({
  [name]: { '@id': `https://v.example/${name}`, ...more },
})
/** Contexts that somebody might have put at an address. */
const REMOTE_CONTEXTS: JsonObject[] = [
  { ...v('degree'), ...v('name'), ...v('link', { '@type': '@id' }) },
  { degree: 'https://v.example/title' },
  { ...v('degree', { '@container': '@set' }), ...v('home', { '@context': v('street') }) },
  { Person: { '@id': 'https://v.example/Person', '@context': { ...v('name', { '@container': '@language' }) } } },
  { ...v('degree', { '@container': '@index' }), ...v('tags', { '@container': '@list' }) },
  { '@protected': true, ...v('degree'), type: '@type' },
  { '@vocab': 'https://v.example/' },
  { '@base': 'https://v.example/', group: '@nest' },
  { issuer: 'https://v.example/issuer' },
]

const remote = (n: number): Json => ({ remote: n })
/** Puts contexts where they are to be. */
const withRemote = (context: Json | undefined): Json =>
  asArray(context).map((part) =>
    isObject(part) && typeof part.remote === 'number'
      ? host().put(`/${part.remote}`, { '@context': REMOTE_CONTEXTS[part.remote] ?? {} })
      : part,
  )

const KNOWN = [
  'https://schema.org',
  'https://w3id.org/citizenship/v1',
  'https://www.w3.org/2018/credentials/examples/v1',
]
const anyContext: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>('https://nowhere.invalid/c', [EMPTY], [{ '@vocab': 'https://v.example/' }], {}),
  fc.constantFrom<Json>(...KNOWN),
  fc.nat({ max: REMOTE_CONTEXTS.length - 1 }).map(remote),
  fc.array(fc.oneof(fc.constantFrom<Json>(...KNOWN, EMPTY), fc.constantFrom(...REMOTE_CONTEXTS.keys()).map(remote)), {
    maxLength: 3,
  }),
)

const examples = Object.values(W3C_EXAMPLES).map(
  ({ '@context': context = null, type = null, credentialSubject = null }) => ({
    context,
    type,
    subject: credentialSubject,
  }),
)

/** Good ones, of which some members are now and then anything. */
const anyCredential: fc.Arbitrary<JsonObject> = fc
  .record({
    subject: fc.oneof({ weight: 2, arbitrary: fc.constant<Json>(degree) }, { weight: 1, arbitrary: anySubject }),
    more: fc.dictionary(anyName, anyValue, { maxKeys: 1, noNullPrototype: true }),
    known: fc.record(
      {
        id: fc.constantFrom('urn:x:1', 'https://example.org/ü', 'relative', '', 'urn:x:a%20b'),
        type: fc.constantFrom<Json>(
          'Degree',
          ['A', 'A', 'B'],
          '',
          'a/b',
          'VerifiablePresentation',
          'https://v.example/T',
        ),
        issuanceDate: anyDate,
        expirationDate: anyDate,
        validFrom: anyDate,
        status: fc.constantFrom<Json>(
          strangeEntry({}),
          strangeEntry({ type: 'Own' }),
          strangeEntry({ statusListIndex: -1 }),
          { id: 'urn:x:1' },
          {},
        ),
        name: fc.constantFrom<Json>('A degree', ['a', 'b'], { '@value': 'x', '@language': 'de' }),
        previousCredentialId: fc.constantFrom<Json>('urn:x:1', ['urn:x:1'], { id: 'urn:x:1' }),
        context: anyContext,
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    kept: fc.subarray(
      [
        'id',
        'type',
        'issuanceDate',
        'expirationDate',
        'validFrom',
        'status',
        'name',
        'previousCredentialId',
        'context',
      ],
      {
        maxLength: 2,
      },
    ),
    example: fc.option(fc.constantFrom(...examples), { freq: 2, nil: undefined }),
  })
  .map(({ subject, more, known, kept, example }) => ({
    ...more,
    ...Object.fromEntries(Object.entries(known).filter(([name]) => kept.includes(name))),
    subject,
    ...(example && { ...example, subject: withOne(example.subject, more) }),
  }))

/** A subject with what another one has besides. */
function withOne(subject: Json, more: JsonObject): Json {
  return isObject(subject) ? { ...subject, ...more } : subject
}

it('issues nothing that verifying refuses: random members, dates, subjects and status', async () => {
  let signed = 0
  await fc.assert(
    fc.asyncProperty(anyCredential, fc.constantFrom('ed25519', 'ed25519-2018'), async (credential, algorithm) => {
      const context = withRemote(credential.context)
      const { status, body } = await service.issue({ issuer, ...credential, context }, { algorithm })
      expect(status, JSON.stringify(body)).toSatisfy((code: number) => [200, 400, 404].includes(code))
      if (status !== 200 || body.proof === undefined) return
      signed++
      const answer = await service.call('POST', '/verify', { data: body })
      const failures = answer.body.checks.filter(({ passed }: { passed: boolean | null }) => passed === false)
      for (const { check, reason } of failures) expect(`${check} ${reason}`, JSON.stringify(body)).toMatch(PASSING)
    }),
    { numRuns: Number(process.env.SOAK_ISSUED ?? 100), endOnFailure: true },
  )
  expect(signed).toBeGreaterThan(20)
})
