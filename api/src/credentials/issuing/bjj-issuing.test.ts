import { expect, it } from 'vitest'
import { asArray, type JsonObject } from '../../formats/json.js'
import { BJJ_2021, KNOWN_CONTEXTS } from '../../formats/json-ld/contexts/known-contexts.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { degree, pathOf, TestService } from '../loop.testing.js'

const service = forAllTests(() => TestService.open())

const issue = (issuer: string, more: JsonObject = {}) =>
  service().issue({ issuer, subject: degree }, { algorithm: 'bjj-2021', ...more })

const documentOf = async (did: string) => (await service().call('GET', `/dids/${did}`)).body

/** The verification methods of Baby Jubjub that a DID document has. */
async function methodsOf(did: string): Promise<JsonObject[]> {
  const methods: JsonObject[] = (await documentOf(did)).verificationMethod
  return methods.filter(({ type }) => type === 'BJJVerificationKey2021')
}

it('a DID that lacks the key gets one, once, with the first credentials that are issued with it', async () => {
  const issuer = await service().did()
  expect(await methodsOf(issuer)).toEqual([])
  const answers = await Promise.all([issue(issuer), issue(issuer), issue(issuer)])
  for (const { status, body } of answers) {
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { proof: { type: 'BJJSignature2021', verificationMethod: `${issuer}#keys-4` } },
    })
    expect(await service().verified(body)).toBe(true)
    expect(await service().verified({ ...body, credentialSubject: { degree: 'Ph.D.' } })).toBe(false)
  }
  const [method, ...others] = await methodsOf(issuer)
  expect(others).toEqual([])
  expect(method).toMatchObject({
    id: `${issuer}#keys-4`,
    controller: issuer,
    publicKeyBase58: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{40,44}$/),
  })
  const document = await documentOf(issuer)
  expect(document.assertionMethod).toContain(`${issuer}#keys-4`)
  for (const list of ['authentication', 'capabilityInvocation'])
    expect(document[list]).not.toContain(`${issuer}#keys-4`)
})

it('a DID of key type bjj signs with the key that it was made with', async () => {
  const issuer = await service().did(undefined, { keyType: 'bjj' })
  const { status, body } = await issue(issuer, { revocable: true })
  expect({ status, body }).toMatchObject({ status: 200, body: { proof: { verificationMethod: `${issuer}#keys-4` } } })
  expect(await methodsOf(issuer)).toHaveLength(1)
  expect(await service().verified(body)).toBe(true)
  const revoked = await service().call('POST', `${pathOf(body.id)}/revoke`)
  expect(await service().finished(revoked.body.id)).toBe('finalized')
  expect(await service().verified(body)).toBe(false)
})

it('a did:key has no such key and gets none', async () => {
  const { body } = await service().call('POST', '/dids', { type: 'key' })
  expect(await issue(body.did)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('issue with a DID on the ledger') },
  })
})

it('the algorithm is called bjj as well, and no other name of three letters is one', async () => {
  const issuer = await service().did()
  const { status, body } = await issue(issuer, { algorithm: 'bjj' })
  expect([status, body.proof?.type]).toEqual([200, 'BJJSignature2021'])
  expect((await service().call('GET', pathOf(body.id))).body).toMatchObject({ algorithm: 'bjj-2021' })
  for (const algorithm of ['bjk', 'BJJ', 'bj'])
    expect(await issue(issuer, { algorithm })).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
  expect(await issue(issuer, { algorithm: 'bjj', format: 'jwt' })).toMatchObject({
    status: 400,
    body: { type: 'unsupported_format' },
  })
})

it('the context that credentials name is served to everybody, as it is built in', async () => {
  const issuer = await service().did()
  expect(asArray((await issue(issuer)).body['@context'])).toContain(BJJ_2021)
  const { status, body, header } = await service().call('GET', '/contexts/bjj-2021.jsonld', undefined, '')
  expect([status, header('content-type')]).toEqual([200, 'application/ld+json; charset=utf-8'])
  expect(body).toEqual(KNOWN_CONTEXTS.get(BJJ_2021))
})

it('after a rotation the new key signs, and what the old one signed before still verifies', async () => {
  const issuer = await service().did()
  const { body } = await issue(issuer)
  const rotated = await service().call('PATCH', `/dids/${issuer}`, { keyType: 'bjj' })
  expect(await service().finished(rotated.body.id)).toBe('finalized')
  expect((await methodsOf(issuer)).map(({ id }) => id)).toEqual([`${issuer}#keys-5`])
  expect(await service().verified(body)).toBe(true)
  const later = await issue(issuer)
  expect(later.body.proof.verificationMethod).toBe(`${issuer}#keys-5`)
  expect(await service().verified(later.body)).toBe(true)
})
