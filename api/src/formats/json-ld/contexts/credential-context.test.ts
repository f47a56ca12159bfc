import { describe, expect, it } from 'vitest'
import { FormatError } from '../../format-error.js'
import type { Json, JsonObject } from '../../json.js'
import { canonize } from '../canonical/canonize.js'
import { unsignedCredential } from '../testing.js'
import { contextFor, typeFromName, typesFor } from './credential-context.js'
import { type ExtraContexts, NO_EXTRA_CONTEXTS } from './document-loader.js'
import { CREDENTIALS_V1, CREDENTIALS_V2, ED25519_2020, STATUS_LIST_2021 } from './known-contexts.js'
import { termIri, termsContext } from './terms.js'

const withContext = (more: JsonObject, given: Json[] = [], extra: ExtraContexts = NO_EXTRA_CONTEXTS) => {
  const credential = unsignedCredential('did:example:issuer', more)
  const { context, leftOut } = contextFor({ credential, given, added: [ED25519_2020], extra })
  return { document: { '@context': context, ...credential }, context, leftOut }
}

describe('contextFor', () => {
  it('names each context once, and leaves what a name means', () => {
    const [one, other] = [{ degree: 'https://v.example/a' }, { degree: 'https://v.example/b' }]
    const { context } = withContext({}, [ED25519_2020, one, other, { ...one }, CREDENTIALS_V1])
    expect(context.slice(0, 4)).toEqual([CREDENTIALS_V1, ED25519_2020, other, one])
  })

  it.each<[string, JsonObject]>([
    ['plain claims', {}],
    [
      'nested claims, arrays and types',
      {
        credentialSubject: { id: 'did:example:a', type: ['Person'], home: { type: 'Address', lines: ['a', { b: 1 }] } },
      },
    ],
    [
      'several subjects',
      {
        credentialSubject: [
          { id: 'did:example:a', x: 0 },
          { id: 'did:example:b', y: false },
        ],
      },
    ],
    ['ids that are no URIs', { credentialSubject: { id: '1234', friend: { id: '{{holder_did}}' } } }],
    [
      'claims named like members of a credential',
      { credentialSubject: { issuer: 'a', issuanceDate: 'b', holder: 'c', evidence: 'd', name: 'e' } },
    ],
    ['names with spaces and other scripts', { credentialSubject: { 'Full name': 'a', 学位: 'b', "it's (so)!": 'c' } }],
    [
      'a status list entry',
      {
        credentialStatus: {
          id: 'https://x.example/l#1',
          type: 'StatusList2021Entry',
          statusPurpose: 'revocation',
          statusListIndex: '1',
          statusListCredential: 'https://x.example/l',
        },
      },
    ],
    [
      'a status of an unknown kind',
      { credentialStatus: { id: 'https://x.example/l#1', type: 'OwnStatus', where: 'there' } },
    ],
    [
      'an issuer with a profile, name and description',
      { issuer: { id: 'did:example:issuer', name: 'U', logo: 'data:' }, name: 'n', description: 'd' },
    ],
    ['delegation members', { rootCredentialId: 'urn:x:1', previousCredentialId: 'urn:x:2' }],
    [
      'a schema and terms of use',
      {
        credentialSchema: { id: 'https://s.example/s', type: 'JsonSchemaValidator2018' },
        termsOfUse: [{ type: 'Policy', rule: 'x' }],
      },
    ],
  ])('leaves nothing unsigned: %s', async (_, more) => {
    const { document } = withContext(more)
    await expect(canonize(document, NO_EXTRA_CONTEXTS)).resolves.toMatch(/credentialSubject/)
  })

  it('starts with credentials/v1, names each context once, and adds the status list context only when it is used', () => {
    expect(withContext({}).context.slice(0, 2)).toEqual([CREDENTIALS_V1, ED25519_2020])
    const given = [CREDENTIALS_V1, STATUS_LIST_2021, ED25519_2020]
    expect(withContext({}, given).context.slice(0, 3)).toEqual([CREDENTIALS_V1, ED25519_2020, STATUS_LIST_2021])
    expect(withContext({}, given).context).toHaveLength(4)
  })

  it('signs the order and the repetition of array values, nested ones and objects too', async () => {
    const quads = (values: Json) =>
      canonize(withContext({ credentialSubject: { id: 'did:example:a', values } }).document, NO_EXTRA_CONTEXTS)
    for (const other of [
      [2, 1],
      [1, 2, 2],
      [[1], 2],
      [{ a: 1 }, 2],
    ])
      expect(await quads(other)).not.toBe(await quads([1, 2]))
    expect(await quads([])).not.toBe(await quads([1]))
  })

  it('keeps an inline context of the caller and generates only what it leaves open', () => {
    const inline = { degree: 'https://v.example/degree' }
    const { context } = withContext({}, [inline])
    expect(context[2]).toEqual(inline)
    expect(context[3]).not.toHaveProperty('degree')
    expect(context[3]).toHaveProperty('graduate')
  })

  it('generates nothing beside a vocabulary of the caller', () => {
    expect(withContext({}, [{ '@vocab': 'https://v.example/' }]).context).toHaveLength(3)
  })

  it('uses a hosted context and generates only what it lacks', async () => {
    const url = 'https://api.example/contexts/Degree-V1-1.jsonld'
    const document = { '@context': termsContext(['degree', 'graduate', 'year']) }
    const extra = new Map([[url, { document, isKept: true }]])
    const made = withContext({}, [url], extra)
    expect(made.context).toEqual([CREDENTIALS_V1, ED25519_2020, url, termsContext(['UniversityDegreeCredential'])])
    await expect(canonize(made.document, extra)).resolves.toContain(termIri('degree'))
  })

  it('generates the terms itself where a hosted context gives names of the data model another meaning', () => {
    const hosted = 'https://schemas.example/city.json-ld'
    const document: JsonObject = { '@context': { city: 'https://v.example/city', name: 'https://v.example/name' } }
    const extra: ExtraContexts = new Map([[hosted, { document, isKept: false }]])
    const credential = unsignedCredential('did:example:issuer', { credentialSubject: { city: { name: 'Łódź' } } })
    const contextsIn = (given: Json[]) => contextFor({ credential, given, added: [hosted], extra }).context
    expect(contextsIn([])).toContain(hosted)
    const [first, ...others] = contextsIn([CREDENTIALS_V2])
    expect(first).toBe(CREDENTIALS_V2)
    expect(others).toEqual([expect.objectContaining({ city: expect.any(String) })])
    expect(others).toEqual([expect.not.objectContaining({ name: expect.anything() })])
  })

  it('leaves out a context that nobody has and says so; its terms are generated', async () => {
    const { document, leftOut } = withContext({}, ['https://nowhere.invalid/context'])
    expect(leftOut).toEqual(['https://nowhere.invalid/context'])
    await expect(canonize(document, NO_EXTRA_CONTEXTS)).resolves.toContain(termIri('degree'))
  })
})

it.each<[string, Json]>([
  ['a keyword under another name', { degree: '@index' }],
  ['a claim under another name', { degree: 'https://v.example/title' }],
  ['a context inside a definition', { Exam: { '@id': 'https://v.example/Exam', '@context': {} } }],
])('issuing refuses what verifying would refuse: %s', async (_, given) => {
  const { document } = withContext({}, [given])
  await expect(canonize(document, NO_EXTRA_CONTEXTS)).rejects.toBeInstanceOf(FormatError)
})

describe('types', () => {
  it.each<[string[], string | undefined, string[]]>([
    [[], undefined, ['VerifiableCredential']],
    [[], 'Degree', ['VerifiableCredential', 'Degree']],
    [['Degree'], 'Other', ['VerifiableCredential', 'Degree']],
    [['Degree', 'VerifiableCredential', 'Degree', ''], undefined, ['VerifiableCredential', 'Degree']],
  ])('%j with fallback %s becomes %j', (given, fallback, types) => {
    expect(typesFor(given, fallback)).toEqual(types)
  })
  it.each([
    ['University Degree', 'UniversityDegree'],
    ['  ', undefined],
    ['élève / étudiant', 'ÉlèveÉtudiant'],
  ])('the name %j makes the type %j', (name, type) => expect(typeFromName(name)).toBe(type))
})
