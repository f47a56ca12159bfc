import { beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../formats/json.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { endless } from '../../schemas/check/hostile-schemas.testing.js'
import { insertSchema } from '../../schemas/schema.store.js'
import { degree, type TestService } from '../loop.testing.js'
import { openIssuingTeam, strangeEntry } from './issuing-team.testing.js'

let service: TestService
let issuer: string
let schema: string
const world = forAllTests(openIssuingTeam)
beforeAll(() => {
  ;({ service, issuer, schema } = world())
})

const EMPTY: JsonObject = { link: { '@id': 'https://v.example/link', '@type': '@id' } }

const claims = (count: number) => Array.from({ length: count }, (_, n) => [`claim${n}`, n])

describe('issuing', () => {
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

  it('is refused where the schema takes longer than a request has', async () => {
    const hostile = { team: service.team.team, name: 'Endless', document: endless(1), base: 'https://schemas.example' }
    const { id } = await service.scratch.db.transaction('system', (tx) =>
      insertSchema(tx, { ...hostile, now: new Date() }),
    )
    const { status, body } = await service.issue({ subject: { x: 'no integer' }, issuer, schema: id })
    const message = expect.stringMatching(/^The subject cannot be checked against the schema: it takes /)
    expect({ status, body }).toEqual({ status: 400, body: { status: 400, type: 'schema_mismatch', message } })
  })

  it('refuses to be revocable here and elsewhere', async () => {
    const status = strangeEntry({})
    expect(await service.issue({ subject: degree, issuer, status }, { revocable: true })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('credential.status') },
    })
    expect((await service.issue({ subject: degree, issuer, status })).status).toBe(200)
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
