import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asArray, type Json, type JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'
import { W3C_EXAMPLES } from '../../formats/json-ld/w3c-examples.testing.js'
import { guardedFetcher } from '../../platform/security/guarded-fetch.js'
import { type Certificate, certificateFor, hasOpenSsl } from '../../platform/testing/certificate.js'
import { testTeam } from '../../platform/testing/scratch-database.js'
import { type RemoteHost, remoteHost } from '../../schemas/remote/remote-host.testing.js'
import { type Answer, TestService } from '../loop.testing.js'

let service: TestService
let host: RemoteHost
let issuer: string
beforeAll(async () => {
  ;[service, host] = await Promise.all([TestService.open(), remoteHost()])
  issuer = await service.did()
})
afterAll(() => Promise.all([service.close(), host.close()]))

const LEFT_OUT = 'accredit-context-left-out'
const STRICT = { Prefer: 'handling=strict' }
const SCORE = 'https://v.example/exam#score'
const exam = { id: 'did:example:a', score: 5 }

const issue = (credential: JsonObject, headers: Record<string, string> = {}) =>
  service.call('POST', '/credentials', { credential: { issuer, subject: exam, ...credential } }, undefined, headers)
const verify = (data: Json, apiKey?: string) => service.call('POST', '/verify', { data }, apiKey)
const checkOf = ({ body }: Answer, name: string) => body.checks.find(({ check }: { check: string }) => check === name)

const sha256 = (content: string | Buffer): Buffer => createHash('sha256').update(content).digest()

let count = 0
const put = (content: Json, path = `/${++count}`): { url: string; path: string } => ({
  url: host.put(path, content),
  path,
})
const terms = (more: JsonObject): JsonObject => ({ '@context': more })

describe('contexts', () => {
  it.each(Object.entries(W3C_EXAMPLES))('that come with the service are used as they are: %s', async (_, example) => {
    const { '@context': context, id: _id, ...members } = example
    const answer = await issue({
      ...members,
      issuer,
      subject: members.credentialSubject ?? null,
      context: context ?? null,
    })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(new Set(answer.body['@context'])).toEqual(new Set(asArray(context)))
    expect(answer.body.credentialSubject).toEqual(example.credentialSubject)
    expect((await verify(answer.body)).body).toMatchObject({ verified: true })
  })

  it('that stand elsewhere are used unchanged, as they were at their first use', async () => {
    const { url, path } = put(terms({ score: SCORE }))
    const { body, header } = await issue({ context: [url] })
    expect(body['@context'][2]).toBe(url)
    // A term for the type is all that is missing beside it.
    expect(JSON.stringify(body['@context'])).not.toContain('"score"')
    expect(header(LEFT_OUT)).toBeUndefined()
    put(terms({ score: 'https://v.example/other' }), path)
    expect((await verify(body)).body).toMatchObject({ verified: true })
    expect(host.asked(path)).toBe(1)
  })

  it('are fetched anew for the team that verifies', async () => {
    const { url, path } = put(terms({ score: SCORE }))
    const { body } = await issue({ context: [url] })
    const [first, second] = [await testTeam(service.scratch.db), await testTeam(service.scratch.db)]
    expect((await verify(body, first.apiKey)).body).toMatchObject({ verified: true })
    put(terms({ maxScore: SCORE }), path)
    const renamed = { ...body, credentialSubject: { id: 'did:example:a', maxScore: 5 } }
    for (const document of [body, renamed]) {
      const answer = await verify(document, second.apiKey)
      expect(answer.body.verified).toBe(false)
      expect(checkOf(answer, 'proof').passed).toBe(false)
    }
  })

  it('that a credential names with a digest are compared with it, when it is issued and when it is verified', async () => {
    const v2 = 'https://www.w3.org/ns/credentials/v2'
    const content = terms({ score: SCORE })
    const digestSRI = `sha256-${sha256(JSON.stringify(content)).toString('base64')}`
    const { url, path } = put(content)
    const resource = { relatedResource: { id: url, digestSRI } }
    const { status, body } = await issue({ context: [v2, url], ...resource })
    expect([status, (await verify(body)).body.verified]).toEqual([200, true])
    const other = { relatedResource: { id: url, digestSRI: `sha256-${'A'.repeat(43)}=` } }
    expect(await issue({ context: [v2, url], ...other })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('has another digest than credential.relatedResource names') },
    })
    // Its terms are the same, and its bytes are not.
    put({ ...content, more: 1 }, path)
    const { apiKey } = await testTeam(service.scratch.db)
    const answer = await verify(body, apiKey)
    expect(answer.body.verified).toBe(false)
    expect(checkOf(answer, 'proof')).toMatchObject({ passed: false, reason: 'other_digest' })
  })

  it('stand beside resources of any form, which are compared too, and told of where they cannot be had', async () => {
    const picture = Buffer.from([0, 255, 1])
    const url = host.put('/picture.png', picture)
    const digestOf = (bytes: Buffer) =>
      `u${Buffer.concat([Buffer.from([0x12, 0x20]), sha256(bytes)]).toString('base64url')}`
    const context = 'https://www.w3.org/ns/credentials/v2'
    const named = (id: string) => ({ context, relatedResource: { id, digestMultibase: digestOf(picture) } })
    const good = await issue(named(url))
    expect([good.status, good.header('accredit-not-compared')]).toEqual([200, undefined])
    const answer = (await verify(good.body)).body
    expect([answer.verified, answer.warnings]).toEqual([true, undefined])
    host.put('/picture.png', Buffer.from('another'))
    expect(await issue(named(url))).toMatchObject({ status: 400 })
    expect(checkOf(await verify(good.body), 'proof')).toMatchObject({ passed: false, reason: 'other_digest' })
    const nowhere = host.put('/gone.png', (response) => response.writeHead(500).end())
    const untold = await issue(named(nowhere))
    expect([untold.status, untold.header('accredit-not-compared')]).toEqual([200, nowhere])
    expect((await issue(named(nowhere), STRICT)).status).toBe(400)
    const { verified, warnings } = (await verify(untold.body)).body
    expect([verified, warnings]).toEqual([true, [expect.stringContaining(`${nowhere} was not compared`)]])
  })

  it('that rename a claim are refused, in issuing too', async () => {
    const { url } = put(terms({ maxScore: SCORE }))
    expect(await issue({ context: [url], subject: { maxScore: 5 } })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('does not stand under its own name') },
    })
  })

  it('keep the order in which they were given', async () => {
    const { url } = put(terms({ score: SCORE }))
    const inline = { degree: 'https://v.example/degree' }
    const { body } = await issue({ context: [inline, url, 'https://w3id.org/citizenship/v1'] })
    expect(body['@context'].slice(2, 5)).toEqual([inline, url, 'https://w3id.org/citizenship/v1'])
  })

  it('that cannot be had are left out and named; with strict handling they are refused with the reason', async () => {
    const { url } = put({ no: 'context' })
    const answer = await issue({ context: [url, 'http://127.0.0.2:9/c'] })
    expect(answer.header(LEFT_OUT)).toBe(`${url} http://127.0.0.2:9/c`)
    expect(answer.body['@context']).not.toContain(url)
    expect((await verify(answer.body)).body).toMatchObject({ verified: true })
    const strict = await issue({ context: [url] }, STRICT)
    expect(strict.status).toBe(400)
    expect(strict.body.message).toContain(`The context ${url} would be left out`)
    expect(strict.body.message).toContain('it is no JSON-LD context')
  })

  it('that a document names and nobody has leave its proof unchecked, with the reason', async () => {
    const { body } = await issue({})
    const answer = await verify({ ...body, '@context': [...body['@context'], 'http://127.0.0.2:9/d'] })
    expect(checkOf(answer, 'proof')).toMatchObject({ passed: false, reason: 'unavailable' })
    expect(answer.body.error).toContain(
      'the context http://127.0.0.2:9/d is not available: the host has no public address',
    )
  })
})

describe('a schema that stands elsewhere', () => {
  const exams = (maximum: number): JsonObject => ({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Exam Result',
    type: 'object',
    properties: { score: { type: 'integer', maximum } },
    required: ['score'],
  })

  it('is used in issuing and in verifying, as it was when it was first used', async () => {
    const { url, path } = put(exams(10))
    const { status, body } = await issue({ schema: url })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.credentialSchema).toEqual({ id: url, type: 'JsonSchemaValidator2018' })
    expect(body.type).toEqual(['VerifiableCredential', 'ExamResult'])
    const refused = await issue({ schema: url, subject: { score: 11 } })
    expect(refused).toMatchObject({ status: 400, body: { type: 'schema_mismatch' } })
    put(exams(3), path)
    const answer = await verify(body)
    expect([answer.body.verified, checkOf(answer, 'schema').passed, host.asked(path)]).toEqual([true, true, 1])
    // A team that fetches it only now has another one.
    const stranger = await verify(body, (await testTeam(service.scratch.db)).apiKey)
    expect([stranger.body.verified, checkOf(stranger, 'schema')]).toMatchObject([
      false,
      { passed: false, reason: 'schema_mismatch' },
    ])
  })

  describe('and has the type JsonSchema in data model 2.0', () => {
    const whole = {
      ...exams(10),
      properties: { name: { type: 'string' }, credentialSubject: exams(10) },
      required: ['name', 'credentialSubject'],
    }
    const issueNaming = (id: string, more: JsonObject, format: string) => {
      const schema = { '@context': [CREDENTIALS_V2], credentialSchema: { id, type: 'JsonSchema' } }
      return service.issue({ issuer, subject: exam, type: 'Result', ...schema, ...more }, { format })
    }

    it.each(['jsonld', 'jwt'])('is about the whole credential, in %s', async (format) => {
      const { url } = put(whole)
      const { status, body, header } = await issueNaming(url, { name: 'A result' }, format)
      expect(status, JSON.stringify(body)).toBe(200)
      expect(header('accredit-ignored')).toBeUndefined()
      const document = format === 'jwt' ? decodeJwt(body) : body
      expect(document.credentialSchema).toEqual({ id: url, type: 'JsonSchema' })
      const answer = await verify(body)
      expect([answer.body.verified, checkOf(answer, 'schema').passed]).toEqual([true, true])
      for (const [more, path] of [
        [{}, '/credential'],
        [{ name: 'A result', subject: { score: 11 } }, '/credential/credentialSubject/score'],
      ] as const) {
        const refused = await issueNaming(url, more, format)
        expect(refused).toMatchObject({ status: 400, body: { type: 'schema_mismatch' } })
        expect(refused.body.problems).toMatchObject([{ path: expect.stringContaining(path) }])
      }
    })

    it('cannot be about a token that is no document', async () => {
      const refused = await issueNaming(put(whole).url, { name: 'A result' }, 'sdjwt')
      expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('no document') } })
    })

    it('is named as ignored where it is hosted here: such a schema is about the subject', async () => {
      const { body: schema } = await service.call('POST', '/schemas', { name: 'Exam', ...exams(10) })
      const { body, header } = await issueNaming(schema.data.uri, {}, 'jsonld')
      expect(body.credentialSchema).toMatchObject({ type: 'JsonSchemaValidator2018' })
      expect(header('accredit-ignored')).toBe('/credential/credentialSchema/type')
    })
  })

  it('that cannot be had is a 400 with the reason, and an unavailable check', async () => {
    const { url, path } = put(exams(10))
    const { body } = await issue({ schema: url })
    put('gone', path)
    const answer = await verify(body, (await testTeam(service.scratch.db)).apiKey)
    expect(answer.body.verified).toBe(false)
    expect(checkOf(answer, 'schema')).toMatchObject({ passed: false, reason: 'unavailable' })
    expect(answer.body.error).toContain(`the schema ${url} is not hosted here and cannot be had: it is no JSON object`)
    for (const [schema, reason] of [
      [put({ hello: 'world' }).url, 'it is no JSON schema: it says nothing'],
      ['http://127.0.0.2:9/s', 'the host has no public address'],
      ['https://v.example/s', 'only http: is fetched'],
      [`0x${'ab'.repeat(32)}`, 'a hash tells nobody where the schema stands'],
    ] as const) {
      const refused = await issue({ schema })
      expect(refused.status).toBe(400)
      expect(refused.body.message).toContain(schema)
      expect(refused.body.message).toContain(reason)
    }
  })
})

it('a dry run keeps nothing of what it fetched', async () => {
  const { url, path } = put(terms({ score: SCORE }))
  const credential = { issuer, subject: exam, context: [url] }
  const dry = () => service.call('POST', '/credentials?dryRun=true', { credential })
  expect((await dry()).status).toBe(200)
  const kept = await service.scratch.db.read('system', (reader) =>
    reader.selectFrom('remote_documents').select('n').where('url', '=', url).execute(),
  )
  expect(kept).toEqual([])
  expect((await issue({ context: [url] })).status).toBe(200)
  expect(host.asked(path)).toBe(2)
})

it('a status object without type is refused, also where nothing is signed', async () => {
  for (const more of [{}, { issuer: null }]) {
    const { status, body } = await issue({ status: { id: 'urn:x:1' }, ...more })
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: expect.stringContaining('status entries of type none'),
    })
  }
  expect((await issue({ issuer: null })).status).toBe(200)
})

describe.runIf(hasOpenSsl || process.env.CI)('over https, as a deployment demands it', () => {
  const HOST = 'documents.example'
  const guard = {
    isAllowed: (address: string) => address === '127.0.0.1',
    protocols: ['https:'],
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  }
  let certificate: Certificate
  let secure: RemoteHost
  beforeAll(async () => {
    certificate = certificateFor(`DNS:${HOST}`)
    secure = await remoteHost({ certificate, host: HOST })
  })
  afterAll(() => secure.close())

  /** Calls a service that trusts an authority of its own. */
  async function withTrust<T>(authority: string | undefined, use: (trusting: TestService) => Promise<T>): Promise<T> {
    const guardedFetch = guardedFetcher({ ...guard, ...(authority !== undefined && { authority }) })
    const trusting = await TestService.open(undefined, { guardedFetch })
    return use(trusting).finally(() => trusting.close())
  }

  it('a schema and a context are fetched and used where their host is who it says, and from nobody else', async () => {
    const schema = secure.put('/schema', { title: 'Exam', type: 'object', properties: { score: { type: 'integer' } } })
    const context = secure.put('/context', terms({ score: SCORE }))
    const credential = (own: string) => ({ issuer: own, subject: exam, schema, context: [context] })
    const issued = await withTrust(certificate.cert, async (trusting) => {
      const own = await trusting.did()
      const { status, body, header } = await trusting.call('POST', '/credentials', { credential: credential(own) })
      expect(status, JSON.stringify(body)).toBe(200)
      expect([body.credentialSchema.id, body['@context'][2], header(LEFT_OUT)]).toEqual([schema, context, undefined])
      expect((await trusting.call('POST', '/verify', { data: body })).body).toMatchObject({ verified: true })
      const mismatched = { ...credential(own), subject: { score: 'x' } }
      const refused = await trusting.call('POST', '/credentials', { credential: mismatched })
      expect(refused.body).toMatchObject({ status: 400, type: 'schema_mismatch' })
      const plain = schema.replace('https:', 'http:')
      const unsafe = await trusting.call('POST', '/credentials', { credential: { ...credential(own), schema: plain } })
      expect(unsafe.body).toMatchObject({ status: 400, message: expect.stringContaining('only https: is fetched') })
      return body
    })
    await withTrust(certificateFor(`DNS:${HOST}`).cert, async (distrusting) => {
      const { body } = await distrusting.call('POST', '/verify', { data: issued })
      expect(body.verified).toBe(false)
      expect(body.error).toContain(`the context ${context} is not available: it cannot be reached`)
    })
    expect([secure.asked('/schema'), secure.asked('/context')]).toEqual([1, 1])
  })
})
