import { beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../formats/json.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { IssueRequest } from '../credential.shape.js'
import { degree, type TestService } from '../loop.testing.js'
import { openIssuingTeam } from './issuing-team.testing.js'

let service: TestService
let issuer: string
let schema: string
const world = forAllTests(openIssuingTeam)
beforeAll(() => {
  ;({ service, issuer, schema } = world())
})

describe('issuing', () => {
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
    const ignoredOf = async (members: object) =>
      (await service.issue(credential, { ...members, distribute: true, persist: true })).header('accredit-ignored')
    expect(await ignoredOf(more)).toBe('/anchor, /recipientDID')
    expect(await ignoredOf({ ...more, recipientEmail: '' })).toBe('/anchor')
    const strict = { prefer: 'handling=strict' }
    expect(
      await service.call('POST', '/credentials', { credential, anchor: true }, service.team.apiKey, strict),
    ).toMatchObject({ status: 400, body: { type: 'unknown_member', problems: [{ path: '/anchor' }] } })
  })

  it('names the proof that a credential came with: it is signed anew', async () => {
    const { body: signed } = await service.issue({ subject: degree, issuer })
    const answer = await service.issue({ ...signed, id: null })
    expect([answer.status, answer.header('accredit-ignored')]).toEqual([200, '/credential/proof'])
    expect(answer.body.proof.proofValue).not.toBe(signed.proof.proofValue)
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
})
