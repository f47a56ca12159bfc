import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import type { JsonObject } from '../../formats/json.js'
import { indexedDatabase, type TestIndex, testIndex } from '../../ledger/testing/test-index.js'
import {
  type ScratchDatabase,
  type TestTeam,
  testEnvironment,
  testTeam,
} from '../../platform/testing/scratch-database.js'
import { schemas } from '../../schemas/operations.js'
import { credentials } from '../operations.js'

// Nothing is signed without an issuer: neither a signer nor a ledger is there.
let scratch: ScratchDatabase
let ledger: TestIndex
let app: FastifyInstance
let mine: TestTeam

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(3)
  app = await buildApp(testEnvironment(scratch, { index: ledger.index }), [credentials, schemas])
  mine = await testTeam(scratch.db)
})
afterAll(async () => {
  await app.close()
  await ledger.close()
  await scratch.close()
})

const post = (url: string, payload: object, more: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url, payload, headers: { 'svc-api-token': mine.apiKey, ...more } })
const issue = (credential: JsonObject, more: Record<string, string> = {}) => post('/credentials', { credential }, more)

test('all faults of a credential are told at once, with those of the request beside it', async () => {
  const credential = {
    ...{ issuanceDate: 'tomorrow', expirationDate: '2020-02-31', subject: 'x', issuer: 'me', id: 'hello world' },
    context: [7],
  }
  const answer = await post('/credentials', { credential, persist: 'yes' })
  expect(answer.json()).toMatchObject({ status: 400, type: 'invalid_request' })
  const { problems } = answer.json<{ problems: { path: string; message: string }[] }>()
  expect(new Map(problems.map(({ path, message }) => [path, message]))).toEqual(
    new Map([
      ['/persist', 'persist must be true or false; got "yes"'],
      ['/credential/id', 'credential.id must be a URI or a UUID; leave it blank to get one; got "hello world"'],
      ['/credential/subject', 'credential.subject must be an object, or an array of objects; got "x"'],
      ['/credential/issuer', 'credential.issuer must be a DID, or an object with one as id; got "me"'],
      ['/credential/context', 'credential.context must hold URLs and objects; got a list of 1'],
      ['/credential/issuanceDate', expect.stringMatching(/^credential\.issuanceDate must be .*; got "tomorrow"$/)],
      [
        '/credential/expirationDate',
        expect.stringMatching(/^credential\.expirationDate must be .*; got "2020-02-31"$/),
      ],
    ]),
  )
})

test('an end before the begin and a status of no form are told with all other faults', async () => {
  const pathsOf = async (credential: JsonObject, more: JsonObject = {}) => {
    const { problems } = (await post('/credentials', { credential, ...more })).json<{ problems: { path: string }[] }>()
    return problems.map(({ path }) => path).sort()
  }
  const backwards = { issuanceDate: '2026-01-02', expirationDate: '2026-01-01', id: 'hello world', subject: {} }
  expect(await pathsOf({ ...backwards, status: 'mine' }, { persist: 'yes' })).toEqual([
    '/credential/expirationDate',
    '/credential/id',
    '/credential/status',
    '/persist',
  ])
  const both = { validFrom: '2026-01-02', validUntil: '2026-01-01T12:00:00Z', subject: 7 }
  expect(await pathsOf({ ...both, credentialStatus: { id: 'urn:x:1' } })).toEqual([
    '/credential/credentialStatus',
    '/credential/subject',
    '/credential/validUntil',
  ])
  const unknown = { id: 'urn:x:1', type: 'Foreign2030' }
  const placeless = { id: 'urn:x:2', type: 'StatusList2021Entry' }
  for (const more of [{}, { revocable: true }])
    expect(await pathsOf({ credentialStatus: unknown, id: 'hello world', subject: 7 }, more)).toEqual([
      '/credential/credentialStatus',
      '/credential/id',
      '/credential/subject',
    ])
  expect(await pathsOf({ credentialStatus: [unknown, placeless], subject: 7 })).toEqual([
    '/credential/credentialStatus/0',
    '/credential/credentialStatus/1',
    '/credential/subject',
  ])
  const own = { status: { id: 'urn:x:1', type: 'StatusList2021Entry' }, id: 'hello world', subject: {} }
  expect(await pathsOf(own, { revocable: true })).toEqual(['/credential/id', '/credential/status'])
})

test.each(['subject', 'credentialSubject'])(
  'all that a schema refuses of %s is told, each at its place',
  async (name) => {
    const schema = {
      name: 'Score',
      properties: { degree: { type: 'string' }, score: { type: 'number' } },
      required: ['degree', 'day'],
    }
    const { uri } = (await post('/schemas', schema)).json().data
    const answer = await issue({ schema: uri, [name]: { degree: 7, score: 'x' } })
    const begins = 'The subject does not satisfy the schema: subject.'
    expect(answer.json()).toEqual({
      status: 400,
      type: 'schema_mismatch',
      message: `${begins}day is missing (and 2 more, see problems)`,
      problems: [
        { path: `/credential/${name}/day`, message: `${begins}day is missing` },
        { path: `/credential/${name}/degree`, message: `${begins}degree must be a text; got 7` },
        { path: `/credential/${name}/score`, message: `${begins}score must be a number; got "x"` },
      ],
    })
  },
)

test('an unsigned credential of data model 2.0 has its names, and its faults are told', async () => {
  const context = 'https://www.w3.org/ns/credentials/v2'
  const good = (await issue({ context, subject: { a: 1 }, expirationDate: '2090-01-01' })).json()
  expect(good).toMatchObject({ '@context': [context, { a: expect.any(String) }], validUntil: '2090-01-01T00:00:00Z' })
  expect(Object.keys(good)).not.toContain('issuanceDate')
  const { status, message } = (await issue({ context, subject: { a: 1 }, termsOfUse: {} })).json()
  expect([status, message]).toEqual([400, 'The credential cannot be issued: its termsOfUse has no type'])
})

test('a null of the credential is absent, and one inside the subject is named', async () => {
  const credential = { name: null, description: null, issuer: null, evidence: null, subject: { a: 1 } }
  const answer = await issue(credential, { prefer: 'handling=strict' })
  expect([answer.statusCode, answer.headers['accredit-ignored']]).toEqual([200, undefined])
  expect(answer.json()).not.toHaveProperty('name')
  const withNulls = await issue({ ...credential, context: [null], subject: { a: 1, b: null } })
  expect(withNulls.headers['accredit-ignored']).toBe('/credential/subject/b, /credential/context/0')
})

test.each([
  ['password', [3, 33], [4, 5, 31, 32]],
  ['algorithm', [3, 33], []],
] as const)('the length of %s is refused beyond its edges alone', async (member, beyond, within) => {
  const problems = async (length: number) => {
    // Another fault stands beside it, since nobody issues here.
    const answer = await post('/credentials', {
      credential: { subject: 'x' },
      persist: true,
      [member]: 'x'.repeat(length),
    })
    expect([length, answer.statusCode]).toEqual([length, 400])
    return answer.json<{ problems: { path: string }[] }>().problems.map(({ path }) => path)
  }
  for (const length of beyond)
    expect([length, await problems(length)]).toEqual([length, expect.arrayContaining([`/${member}`])])
  for (const length of within)
    expect([length, await problems(length)]).toEqual([
      length,
      ['/credential/subject', '/credential/issuer'].slice(0, 1),
    ])
})
