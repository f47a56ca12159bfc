import * as credentialsContext from '@digitalbazaar/credentials-context'
import jsonld from 'jsonld'
import { expect, test } from 'vitest'
import { contextOf, propertyNames } from './schema-context.js'

const uri = 'https://example.org/contexts/Degree-V1-1.jsonld'
const base = 'https://www.w3.org/2018/credentials/v1'

const schema = {
  properties: {
    id: { type: 'string' },
    degree: { type: 'string' },
    'Date of Birth': { type: 'string' },
    proof: { type: 'string' },
    'schema:name': { type: 'string' },
    address: { type: 'object', properties: { street: {}, type: {} } },
    courses: { type: 'array', items: { properties: { credits: { type: 'integer' } } } },
    Łódź: {},
  },
  allOf: [{ properties: { inAll: {} } }],
  if: { properties: { inIf: {} } },
  definitions: { part: { properties: { inDefinitions: {} } } },
  items: [{ properties: { inItems: {} } }],
}

async function statements(subject: object): Promise<string> {
  const documentLoader = async (url: string) => {
    const document = url === uri ? contextOf('Degree', schema) : credentialsContext.contexts.get(url)
    if (document === undefined) throw new Error(`asked for ${url}`)
    return { contextUrl: null, documentUrl: url, document }
  }
  const credential = {
    '@context': [base, uri],
    type: ['VerifiableCredential', 'DegreeCredential'],
    issuer: 'did:example:issuer',
    issuanceDate: '2026-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:subject', ...subject },
  }
  return String(
    await jsonld.canonize(credential, {
      algorithm: 'RDFC-1.0',
      base: null,
      format: 'application/n-quads',
      rdfDirection: 'i18n-datatype',
      documentLoader,
      safe: true,
    }),
  )
}

test('every property at any depth has a term, and the types of its credentials have one', () => {
  const names = propertyNames(schema)
  for (const name of ['degree', 'street', 'credits', 'inAll', 'inIf', 'inDefinitions', 'inItems'])
    expect([...names.keys()]).toContain(name)
  const terms = Object.keys(Object(contextOf('Degree', schema)['@context']))
  expect(terms).toEqual(expect.arrayContaining(['Degree', 'DegreeCredential', 'degree', 'credits']))
})

test('a signature covers each claim, in strict processing and beside the protected terms of credentials/v1', async () => {
  const before = await statements({
    degree: 'M.Sc.',
    'Date of Birth': '2000-01-01',
    courses: [{ credits: 0 }],
    Łódź: 'a',
  })
  for (const changed of [
    { degree: 'Ph.D.', 'Date of Birth': '2000-01-01', courses: [{ credits: 0 }], Łódź: 'a' },
    { degree: 'M.Sc.', 'Date of Birth': '2000-01-02', courses: [{ credits: 0 }], Łódź: 'a' },
    { degree: 'M.Sc.', 'Date of Birth': '2000-01-01', courses: [{ credits: 1 }], Łódź: 'a' },
    { degree: 'M.Sc.', 'Date of Birth': '2000-01-01', courses: [{ credits: 0 }], Łódź: 'b' },
  ]) {
    expect(await statements(changed)).not.toBe(before)
  }
})

test('the order of arrays is signed, where a property is an array wherever it stands', async () => {
  const courses = [{ credits: 1 }, { credits: 2 }]
  expect(await statements({ courses })).not.toBe(await statements({ courses: courses.toReversed() }))
  const mixed = {
    properties: { a: { type: 'array' }, b: { properties: { a: { type: 'string' }, c: { type: 'array' } } } },
  }
  expect(propertyNames(mixed)).toEqual(
    new Map([
      ['a', false],
      ['b', false],
      ['c', true],
    ]),
  )
})
