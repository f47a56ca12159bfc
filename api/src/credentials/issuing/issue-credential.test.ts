import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signingKey } from '../../dids/did.store.js'
import { asArray, isObject, type Json, type JsonObject } from '../../formats/json.js'
import { anyName, anyValue } from '../../formats/json-ld/mutants.testing.js'
import { W3C_EXAMPLES } from '../../formats/json-ld/w3c-examples.testing.js'
import { outgoingEvents } from '../../platform/testing/scratch-database.js'
import { endless } from '../../schemas/check/hostile-schemas.testing.js'
import { type RemoteHost, remoteHost } from '../../schemas/remote/remote-host.testing.js'
import { insertSchema } from '../../schemas/schema.store.js'
import { IssueRequest } from '../credential.shape.js'
import { type Answer, degree, pathOf, TestService } from '../loop.testing.js'

let service: TestService
let issuer: string
let schema: string
let host: RemoteHost

beforeAll(async () => {
  service = await TestService.open()
  host = await remoteHost()
  issuer = await service.did()
  const { body } = await service.call('POST', '/schemas', {
    $schema: 'http://json-schema.org/draft-07/schema#',
    name: 'University Degree',
    type: 'object',
    properties: { degree: { type: 'string' }, year: { type: 'integer', minimum: 1900 }, tags: { type: 'array' } },
    required: ['degree'],
    additionalProperties: false,
  })
  schema = body.data.uri
})
afterAll(() => Promise.all([service.close(), host.close()]))

const verified = (vc: Json) => service.verified(vc)

/** Reasons that only time, or somebody else, decides. */
const PASSING = /^(validity (expired|not_yet_valid)|(status|delegation) unavailable)$/
const EMPTY: JsonObject = { link: { '@id': 'https://v.example/link', '@type': '@id' } }

const entry = (more: JsonObject): JsonObject => ({
  id: 'https://nowhere.invalid/list#1',
  type: 'StatusList2021Entry',
  statusPurpose: 'revocation',
  statusListIndex: '1',
  statusListCredential: 'https://nowhere.invalid/list',
  ...more,
})
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
      ? host.put(`/${part.remote}`, { '@context': REMOTE_CONTEXTS[part.remote] ?? {} })
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
          entry({}),
          entry({ type: 'Own' }),
          entry({ statusListIndex: -1 }),
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

const claims = (count: number) => Array.from({ length: count }, (_, n) => [`claim${n}`, n])

describe('issuing', () => {
  it.each<[string, Json, string, Json]>([
    ['credentialSubject', degree, 'subject', { ...degree, year: 1999 }],
    ['type', 'DegreeCredential', 'types', ['DiplomaCredential']],
    ['@context', ['https://www.w3.org/2018/credentials/v1'], 'context', [{ degree: 'https://v.example/degree' }]],
    ['credentialSchema', 'https://v.example/a', 'schema', 'https://v.example/b'],
    ['credentialStatus', entry({}), 'status', entry({ statusListIndex: '2' })],
  ])(
    'refuses %s where %s says something else, and takes it where it says the same',
    async (name, value, other, differing) => {
      const issue = (more: JsonObject) =>
        service.call('POST', '/credentials', { credential: { issuer, subject: degree, ...more }, revocable: false })
      const refused = await issue({ [name]: value, [other]: differing })
      expect(refused.status).toBe(400)
      expect(refused.body.message).toContain(`${name} and ${other} are two names of one member`)
      expect((await issue({ [name]: value, [other]: value })).body.message ?? '').not.toContain('two names')
    },
  )

  it.each<[string, () => JsonObject]>([
    ['native names', () => ({ subject: degree, issuer })],
    [
      'W3C names',
      () => ({
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiableCredential', 'Degree'],
        credentialSubject: degree,
        issuer: { id: issuer, name: 'U' },
      }),
    ],
    ['a schema', () => ({ subject: { id: 'did:example:x', ...degree, tags: ['b', 'a'] }, issuer, schema })],
    [
      'a W3C schema',
      () => ({ subject: degree, issuer, credentialSchema: { id: schema, type: 'JsonSchemaValidator2018' } }),
    ],
    ['a subject id that is no URI', () => ({ subject: { id: '1234', ...degree }, issuer })],
    ['a placeholder as subject id', () => ({ subject: { id: '{{holder_did}}', ...degree }, issuer })],
    [
      'several subjects and the value 0',
      () => ({
        subject: [
          { id: 'did:example:a', zero: 0 },
          { id: 'did:example:b', no: false },
        ],
        issuer,
      }),
    ],
    ['a bare UUID as id', () => ({ id: '3A4B5C6D-0000-4000-8000-000000000000', subject: degree, issuer })],
    [
      'a context of somebody else',
      () => ({
        context: 'https://nowhere.invalid/context',
        subject: { ...degree, nested: { deep: [1, { a: 2 }] } },
        issuer,
      }),
    ],
    ['a context of its own', () => ({ context: [{ degree: 'https://v.example/degree' }], subject: degree, issuer })],
    [
      'blank members',
      () => ({ id: '', type: [], context: '', schema: null, status: '', subject: degree, issuer, expirationDate: '' }),
    ],
    [
      'members of delegation chains and evidence',
      () => ({
        subject: degree,
        issuer,
        rootCredentialId: 'urn:x:1',
        evidence: [{ type: 'Exam', mark: 1 }],
        name: 'n',
        description: 'd',
      }),
    ],
    [
      'a type with a space and one from a schema',
      () => ({ subject: degree, issuer, schema, type: 'University Degree' }),
    ],
  ])('signs what verifies: %s', async (_, credential) => {
    const { status, body } = await service.issue(credential())
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body['@context'][0]).toBe('https://www.w3.org/2018/credentials/v1')
    expect(body.type.filter((type: string) => type === 'VerifiableCredential')).toHaveLength(1)
    expect(body.id).toMatch(/^(http.*\/c\/[0-9a-f]{64}|urn:uuid:3a4b5c6d-.*)$/)
    expect(await verified(body)).toBe(true)
  })

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

  it.each<[string, () => JsonObject, RegExp]>([
    ['an own status without type', () => ({ status: { id: 'urn:x:1' } }), /status entries of type none/],
    [
      'an own status without a place',
      () => ({ status: { id: 'urn:x:1#1', type: 'StatusList2021Entry', statusPurpose: 'revocation' } }),
      /no statusListCredential/,
    ],
    ['a type that makes it a presentation', () => ({ type: 'VerifiablePresentation' }), /presentation/],
    ['a link of a chain as array', () => ({ previousCredentialId: ['urn:x:1'] }), /previousCredentialId is no text/],
    ['an empty reference', () => ({ evidence: [''] }), /leaves no statement/],
    ['a claim that is an empty reference', () => ({ context: [EMPTY], subject: { ...degree, link: '' } }), /leaves no/],
    ['two schemas', () => ({ schema: null, credentialSchema: [{ id: schema }, { id: schema }] }), /one schema only/],
    [
      'contexts that will be left out',
      () => ({ '@context': Array(3000).fill('https://a.example/context') }),
      /bytes; at/,
    ],
    ['more claims than are possible', () => ({ subject: Object.fromEntries(claims(101)) }), /101 claims; at most/],
    ['the room that its proof takes', () => ({ subject: { a: 'x'.repeat(64 * 1024 - 700) } }), /bytes; at most/],
  ])('refuses what verifying would refuse: %s', async (_, more, reason) => {
    const { status, body } = await service.issue({ subject: degree, issuer, ...more() })
    expect({ status, message: body.message }).toEqual({ status: 400, message: expect.stringMatching(reason) })
  })

  it('takes null for no member, whichever it is', async () => {
    const outcome = async (credential: JsonObject) => {
      const { status, body } = await service.issue(credential)
      return { status, type: status === 200 ? 'a credential' : body.type }
    }
    const good: JsonObject = { issuer, subject: degree, type: 'Degree', issuanceDate: '2026-01-01' }
    for (const name of Object.keys(IssueRequest.properties.credential.properties)) {
      const { [name]: _, ...rest } = good
      expect(await outcome({ ...rest, [name]: null }), name).toEqual(await outcome(rest))
    }
  })

  it('leaves a null inside the subject out of what is signed, and names it', async () => {
    const subject = { id: 'did:example:g', a: null, b: { 'c/d': null, e: 'x' }, f: ['y', null, { g: null, h: 'z' }] }
    const answer = await service.call('POST', '/credentials', { credential: { issuer, subject } })
    expect(answer.status).toBe(200)
    expect(answer.header('accredit-ignored')).toBe(
      '/credential/subject/a, /credential/subject/b/c~1d, /credential/subject/f/1, /credential/subject/f/2/g',
    )
    expect(answer.body.credentialSubject).toEqual({ id: 'did:example:g', b: { e: 'x' }, f: ['y', { h: 'z' }] })
    expect((await service.call('POST', '/verify', { data: answer.body })).body.verified).toBe(true)
    const strict = { Prefer: 'handling=strict' }
    expect(
      await service.call(
        'POST',
        '/credentials',
        { credential: { issuer, credentialSubject: subject } },
        undefined,
        strict,
      ),
    ).toMatchObject({
      status: 400,
      body: {
        type: 'unknown_member',
        message: expect.stringContaining('/credential/credentialSubject/a would be ignored'),
      },
    })
  })

  it('fills type and issuer: the schema names the type, the profile the issuer, what the caller says stands', async () => {
    const did = await service.did()
    await service.call('POST', '/profiles', { did, name: 'Bilkent', description: 'A university' })
    const { body } = await service.issue({ subject: degree, issuer: did, schema })
    expect(body.type).toEqual(['VerifiableCredential', 'UniversityDegree'])
    expect(body.issuer).toEqual({ id: did, name: 'Bilkent', description: 'A university' })
    const own = await service.issue({ subject: degree, issuer: { id: did, name: 'Own', more: 1 } })
    expect(own.body.issuer).toEqual({ id: did, name: 'Own', description: 'A university', more: 1 })
    expect((await service.issue({ subject: degree, issuer })).body.issuer).toBe(issuer)
    expect((await service.call('GET', pathOf(body.id))).body.issuerName).toBe('Bilkent')
  })

  it('says so where the issuer is there and none of its keys can sign', async () => {
    const did = await service.did()
    await service.scratch.db.transaction('system', (tx) =>
      sql`update did_keys set relationships = 4 where did = ${did} and kind = 'Ed25519'`.execute(tx),
    )
    const { status, body } = await service.issue({ subject: degree, issuer: did })
    const message = `None of the keys of ${did} that are here can sign credentials: that takes an Ed25519 key for assertionMethod`
    expect({ status, body }).toEqual({ status: 400, body: { status: 400, type: 'invalid_request', message } })
    const stranger = await service.issue({ subject: degree, issuer: 'did:svc:11111111111111111111111111111111' })
    expect(stranger.status).toBe(404)
  })

  it('is refused where the schema takes longer than a request has', async () => {
    const hostile = { team: service.team.team, name: 'Endless', document: endless(1), base: 'https://schemas.example' }
    const { id } = await service.scratch.db.transaction('system', (tx) =>
      insertSchema(tx, { ...hostile, now: new Date() }),
    )
    const { status, body } = await service.issue({ subject: { x: 'no integer' }, issuer, schema: id })
    const message = expect.stringMatching(/^The subject cannot be checked against the schema: it takes /)
    expect({ status, body }).toEqual({ status: 400, body: { status: 400, type: 'schema_mismatch', message } })
  })

  it('tells web hooks of it with the credential itself', async () => {
    const { body } = await service.issue({ subject: degree, issuer })
    const events = await outgoingEvents(service.scratch, service.team.team)
    const byteSize = Buffer.byteLength(JSON.stringify(body))
    const data = { id: body.id, signingOps: 1, byteSize, key: `${issuer}#keys-1`, credential: body }
    expect(events.slice(-2)).toEqual(['credential_create', 'credential_issued'].map((event) => ({ event, data })))
  })

  it('keeps nothing of it for web hooks when it is deleted', async () => {
    const { body } = await service.issue({ subject: degree, issuer })
    const isKept = async () =>
      JSON.stringify(await outgoingEvents(service.scratch, service.team.team)).includes(body.id)
    expect(await isKept()).toBe(true)
    expect((await service.call('DELETE', `/credentials/${encodeURIComponent(body.id)}`)).status).toBe(200)
    expect(await isKept()).toBe(false)
  })

  it('takes full dates as midnight in UTC, past and equal dates too', async () => {
    const dates = { issuanceDate: '2020-01-31', expirationDate: '2020-02-01' }
    const { body } = await service.issue({ subject: degree, issuer, ...dates })
    expect([body.issuanceDate, body.expirationDate]).toEqual(['2020-01-31T00:00:00Z', '2020-02-01T00:00:00Z'])
    const equal = { issuanceDate: '2030-01-01T00:00:00Z', expirationDate: '2030-01-01T00:00:00Z' }
    expect((await service.issue({ subject: degree, issuer, ...equal })).body).toMatchObject(equal)
  })

  it('with ed25519-2018, did:key, and without a key of its own when no issuer is named', async () => {
    const old = await service.issue({ subject: degree, issuer }, { algorithm: 'ed25519-2018' })
    expect(old.body.proof).toMatchObject({ type: 'Ed25519Signature2018', jws: expect.stringContaining('..') })
    expect(await verified(old.body)).toBe(true)
    const { body: key } = await service.call('POST', '/dids', { type: 'key' })
    expect(await verified((await service.issue({ subject: degree, issuer: key.did })).body)).toBe(true)
    const unsigned = await service.issue({ subject: degree, schema })
    expect(unsigned).toMatchObject({ status: 200, body: { credentialSubject: degree } })
    expect(unsigned.body).not.toHaveProperty('proof')
    expect(unsigned.header('accredit-unsigned')).toBe('true')
    expect(old.header('accredit-unsigned')).toBeUndefined()
  })

  it('names a context that it left out', async () => {
    const answer = await service.issue({ context: 'https://nowhere.invalid/ü', subject: degree, issuer })
    expect(answer.header('accredit-context-left-out')).toBe('https://nowhere.invalid/%C3%BC')
  })

  it.each([
    ['signed', {}, {}],
    ['unsigned', { issuer: null }, {}],
    ['before its first registry is made', {}, { revocable: true }],
  ])('leaves out no context where the request prefers strict handling, %s', async (_how, of, more) => {
    const credential = { context: 'https://nowhere.invalid/x', subject: degree, issuer: await service.did(), ...of }
    const ask = (headers: Record<string, string>) =>
      service.call('POST', '/credentials', { credential, ...more }, undefined, headers)
    const registries = async () => (await service.call('GET', '/registries')).body
    const before = await registries()
    expect(await ask({ prefer: 'handling=strict' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('https://nowhere.invalid/x') },
    })
    expect(await registries()).toEqual(before)
    const lenient = await ask({})
    expect([lenient.status, lenient.header('accredit-context-left-out')]).toEqual([200, 'https://nowhere.invalid/x'])
  })

  it('names the members that it leaves out, but no optional blank ones', async () => {
    const credential = {
      subject: degree,
      issuer: { id: issuer, name: '', logo: null, more: 1 },
      '@context': ['https://www.w3.org/2018/credentials/v1', null, ''],
      schema: { id: schema, type: 'JsonSchema', digestSRI: 'sha384-x' },
      description: '',
      evidence: null,
      validUntil: '',
      ...{ id: '', status: '', expirationDate: '', issuanceDate: null },
    }
    const wrapper = { password: '', template: '', algorithm: null, anchor: false, recipientDID: '', persist: null }
    const answer = await service.issue(credential, wrapper)
    expect([answer.status, answer.header('accredit-ignored')]).toEqual([
      200,
      [
        ...['/credential/description', '/credential/validUntil'],
        ...['/credential/%40context/1', '/credential/%40context/2'],
        ...['/credential/issuer/name', '/credential/schema/type', '/credential/schema/digestSRI'],
      ].join(', '),
    ])
    expect(answer.body).not.toHaveProperty('description')
    expect(answer.body.issuer).toEqual({ id: issuer, more: 1 })
    const { schema: _, ...rest } = credential
    const credentialSchema = [{ id: schema, type: 'JsonSchemaValidator2018' }]
    const standard = { ...rest, '@context': [], issuer, credentialSchema }
    expect((await service.issue(standard)).header('accredit-ignored')).toBe(
      '/credential/description, /credential/validUntil',
    )
  })

  it('names what was asked for beside the credential and does not happen', async () => {
    const credential = { subject: degree, issuer }
    const more = { anchor: true, recipientDID: issuer, recipientEmail: 'a@example.org', password: 'sesame' }
    const answer = await service.issue(credential, more)
    const named = '/password, /anchor, /recipientDID, /recipientEmail'
    expect([answer.status, answer.header('accredit-ignored')]).toEqual([200, named])
    const distributed = await service.issue(credential, { ...more, distribute: true, persist: true })
    expect(distributed.header('accredit-ignored')).toBe('/anchor')
    const strict = { prefer: 'handling=strict' }
    expect(
      await service.call('POST', '/credentials', { credential, anchor: true }, service.team.apiKey, strict),
    ).toMatchObject({ status: 400, body: { type: 'unknown_member', problems: [{ path: '/anchor' }] } })
  })

  it('is forgotten with the key of its team, and a password that is sent is named', async () => {
    const { body } = await service.issue({ subject: degree, issuer })
    const answer = await service.call('DELETE', `${pathOf(body.id)}?password=sesame`)
    expect([answer.status, answer.header('accredit-ignored')]).toEqual([200, '?password'])
  })

  it('names the proof that a credential came with: it is signed anew', async () => {
    const { body: signed } = await service.issue({ subject: degree, issuer })
    const answer = await service.issue({ ...signed, id: null })
    expect([answer.status, answer.header('accredit-ignored')]).toEqual([200, '/credential/proof'])
    expect(answer.body.proof.proofValue).not.toBe(signed.proof.proofValue)
  })

  it('refuses to be revocable here and elsewhere', async () => {
    const status = entry({})
    expect(await service.issue({ subject: degree, issuer, status }, { revocable: true })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('credential.status') },
    })
    expect((await service.issue({ subject: degree, issuer, status })).status).toBe(200)
  })

  it.each([
    [{ expirationDate: '2031-01-01T00:00:00Z' }, '2031-01-01T00:00:00.000Z'],
    [{ validUntil: '2032-01-01T00:00:00Z' }, '2032-01-01T00:00:00.000Z'],
    [{ expirationDate: '2031-01-01T00:00:00Z', validUntil: '2032-01-01T00:00:00Z' }, '2031-01-01T00:00:00.000Z'],
    [{ expirationDate: '2033-01-01T00:00:00Z', validUntil: '2032-01-01T00:00:00Z' }, '2032-01-01T00:00:00.000Z'],
    [{}, null],
  ])('is listed to end when it ends by its own words, %j', async (ends, expected) => {
    const { body } = await service.issue({ subject: degree, issuer, ...ends })
    expect((await service.call('GET', pathOf(body.id))).body.expirationDate ?? null).toEqual(expected)
  })

  it('takes blank optional fields for none', async () => {
    const blank = { persist: false, password: '', template: '', algorithm: '' }
    for (const more of [blank, { password: null, template: null, algorithm: null }])
      expect(await service.issue({ subject: degree, issuer }, more)).toMatchObject({
        status: 200,
        body: { proof: { type: 'Ed25519Signature2020' } },
      })
    expect((await service.issue({ subject: degree, issuer }, { persist: true, password: '' })).status).toBe(400)
  })

  it('signs with the newest key when it was rotated while the first registry was on its way', async () => {
    const did = await service.did()
    const body = { credential: { subject: degree, issuer: did }, revocable: true }
    let issuing: Promise<Answer> | undefined
    await service.scratch.db.transaction('system', async (tx) => {
      // Nothing leaves the outbox while this lock is held.
      await sql`select pg_advisory_xact_lock(7302103)`.execute(tx)
      issuing = service.call('POST', '/credentials', body, undefined, { 'idempotency-key': 'rotated' })
      const registries = async () => (await service.call('GET', `/registries?did=${did}`)).body
      await expect.poll(registries).toHaveLength(1)
      // A crash now leaves a registry only: a retry with the same key must be able to go on.
      const claimed = await tx.selectFrom('idempotency_keys').select('state').execute()
      expect(claimed).toEqual([{ state: 'running' }])
      expect((await service.call('PATCH', `/dids/${did}`, { keyType: 'ed25519' })).status).toBe(200)
    })
    const answer = await issuing
    expect(answer?.status).toBe(200)
    const key = await service.scratch.db.read('system', (reader) => signingKey(reader, did))
    expect(answer?.body.proof.verificationMethod).toBe(key?.verificationMethod)
    const audited = await service.scratch.db.read('system', (reader) =>
      reader.selectFrom('audit').select('action').where('subject', '=', answer?.body.id).execute(),
    )
    expect(audited).toEqual([{ action: 'issueCredential' }])
  })

  it('accepts anchors and distribution, and answers that nothing is delivered', async () => {
    const more = { anchor: true, distribute: true, recipientEmail: 'a@example.org' }
    const answer = await service.issue({ subject: degree, issuer }, more)
    expect([answer.status, answer.header('accredit-distribution')]).toEqual([200, expect.stringMatching(/^none /)])
    expect((await service.issue({ subject: degree, issuer })).header('accredit-distribution')).toBeUndefined()
  })

  it('knows no template yet: one that is named is not found', async () => {
    const template = '3a4b5c6d-0000-4000-8000-000000000000'
    expect((await service.issue({ subject: degree, issuer }, { template })).status).toBe(404)
  })

  it.each<[string, JsonObject, JsonObject, number, string | undefined]>([
    ['no credential', {}, { credential: 'x' }, 400, undefined],
    ['no subject', { subject: null }, {}, 400, 'invalid_request'],
    ['a subject that is text', { subject: 'x' }, {}, 400, 'invalid_request'],
    [
      'a subject that does not satisfy the schema',
      { subject: { degree: 7 }, schema: 'SCHEMA' },
      {},
      400,
      'schema_mismatch',
    ],
    ['a schema of somebody else', { schema: 'https://nowhere.invalid/schema' }, {}, 400, 'invalid_request'],
    ['an issuer that is no DID', { issuer: 'me' }, {}, 400, 'invalid_request'],
    ['an issuer of nobody', { issuer: 'did:svc:1111111111111111111111111111111111111111111' }, {}, 404, 'not_found'],
    ['an id that is no URI', { id: 'hello world' }, {}, 400, 'invalid_request'],
    ['a date that is none', { issuanceDate: 'soon' }, {}, 400, 'invalid_request'],
    ['a date that does not exist', { expirationDate: '2027-02-30' }, {}, 400, 'invalid_request'],
    [
      'an end before the beginning',
      { issuanceDate: '2026-01-02', expirationDate: '2026-01-01' },
      {},
      400,
      'invalid_request',
    ],
    ['a status that is no registry', { status: 'zz' }, {}, 400, 'invalid_request'],
    ['a registry of nobody', { status: '9'.repeat(64) }, {}, 404, 'not_found'],
    ['deep nesting', { subject: JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) }, {}, 400, 'invalid_request'],
    [
      'too many claims',
      { subject: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`c${i}`, i])) },
      {},
      400,
      'invalid_request',
    ],
    ['too many bytes', { subject: { a: 'x'.repeat(70_000) } }, {}, 400, 'invalid_request'],
    ['a claim name that JSON-LD cannot hold', { subject: { 'a/b': 1 } }, {}, 400, 'invalid_request'],
    ['a keyword as claim', { subject: { '@foo': 1 } }, {}, 400, 'invalid_request'],
    ['a NUL', { subject: { a: '\u0000' } }, {}, 400, 'invalid_request'],
    [
      'a context that redefines what is protected',
      { context: [{ credentialSubject: 'https://v.example/x', id: 'https://v.example/y' }] },
      {},
      400,
      'invalid_request',
    ],
    ['persist without password', {}, { persist: true }, 400, 'invalid_request'],
    ['a short password', {}, { persist: true, password: 'abc' }, 400, undefined],
    ['an algorithm of another format', {}, { format: 'sdjwt', algorithm: 'ed25519-2018' }, 400, 'unsupported_format'],
    ['no format', {}, { format: 'xml' }, 400, undefined],
    ['another algorithm', {}, { algorithm: 'rsa' }, 400, 'invalid_request'],
    ['revocable without issuer', { issuer: null }, { revocable: true }, 400, 'invalid_request'],
  ])('refuses %s and keeps nothing', async (_, credential, more, status, type) => {
    const before = (await service.call('GET', '/credentials?limit=1')).body
    const given = { subject: degree, issuer, ...credential, ...(credential.schema === 'SCHEMA' && { schema }) }
    const answer = await service.issue(given, more as Record<string, Json>)
    expect(answer).toMatchObject({
      status,
      body: { status, ...(type !== undefined && { type }), message: expect.any(String) },
    })
    expect((await service.call('GET', '/credentials?limit=1')).body).toEqual(before)
  })
})

it('without a mail server a credential that is to be delivered is issued, and the answer says so', async () => {
  const more = { distribute: true, recipientEmail: 'ada@example.org' }
  const answer = await service.issue({ issuer: await service.did(), subject: degree }, more)
  expect(answer.status).toBe(200)
  expect(answer.header('accredit-distribution')).toBe('none (no mail server is configured)')
})
