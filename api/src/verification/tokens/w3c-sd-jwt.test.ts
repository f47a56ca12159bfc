import { expect, it } from 'vitest'
import type { JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'
import { testKey } from '../../formats/json-ld/testing.js'
import { signedToken } from '../../formats/jwt/testing.js'
import { disclosure } from '../../formats/sd-jwt/testing.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { expectFailure, TestVerifier, timeOf } from '../testing.js'

const verifier = forAllTests(() => TestVerifier.open())
const key = testKey()
const seconds = (block: number): number => Math.floor(timeOf(block).getTime() / 1000)
const [degree, year] = [disclosure('s-1', 'degree', 'M.Sc.'), disclosure('s-2', 'year', 2026)]

/** A document of data model 2.0 as VC-JOSE-COSE secures it, with two hidden claims. */
const document: JsonObject = {
  '@context': [CREDENTIALS_V2, 'https://www.w3.org/ns/credentials/examples/v2'],
  id: 'urn:uuid:9f6d0b1e-0b1e-4e1e-8e1e-0b1e9f6d0b1e',
  type: ['VerifiableCredential', 'ExampleDegreeCredential'],
  issuer: key.did,
  validFrom: timeOf(10).toISOString(),
  credentialSubject: { id: 'did:example:graduate', _sd: [degree.digest, year.digest] },
  _sd_alg: 'sha-256',
}

const token = async (more: Record<string, unknown> = {}, typ = 'vc+sd-jwt', by = key): Promise<string> => {
  const payload: JsonObject = JSON.parse(JSON.stringify({ ...document, iat: seconds(50), ...more }))
  return signedToken({ alg: 'EdDSA', typ, kid: key.keyId }, payload, by)
}
const showing = (jws: string, ...disclosures: { text: string }[]): string =>
  [jws, ...disclosures.map(({ text }) => text), ''].join('~')
const verify = (data: string) => verifier().verify({ data })

it('a W3C document as an SD-JWT needs no vct, and verifies with all of its disclosures, some or none', async () => {
  for (const shown of [[degree, year], [year], []])
    expect((await verify(showing(await token(), ...shown))).body).toMatchObject({ verified: true })
  const withTimes = await token({ validUntil: timeOf(200).toISOString(), exp: seconds(150) })
  expect((await verify(showing(withTimes))).body).toMatchObject({ verified: true })
})

it('its dates are those of the document, and those of its signature', async () => {
  for (const [more, reason] of [
    [{ validUntil: timeOf(60).toISOString() }, 'expired'],
    [{ exp: seconds(60) }, 'expired'],
    [{ validFrom: timeOf(200).toISOString() }, 'not_yet_valid'],
    [{ nbf: seconds(200) }, 'not_yet_valid'],
  ] as const)
    expectFailure(await verify(showing(await token(more))), 'validity', reason)
})

it.each<[string, Record<string, unknown>]>([
  ['of data model 1.1', { '@context': ['https://www.w3.org/2018/credentials/v1'] }],
  ['without an issuer', { issuer: undefined }],
  ['with another iss', { iss: testKey().did }],
  ['without a subject', { credentialSubject: undefined }],
  ['with a proof inside', { proof: { type: 'DataIntegrityProof' } }],
  ['for one audience', { aud: 'https://verifier.example' }],
])('a document %s is refused', async (_, more) => {
  expectFailure(await verify(showing(await token(more))), 'structure', 'malformed')
})

it.each(['@context', 'type', 'issuer', 'validFrom', 'validUntil', 'credentialStatus', 'credentialSchema'])(
  'a document whose %s stands in a disclosure is refused',
  async (name) => {
    const value = document[name] ?? { id: 'https://example.org/x', type: 'JsonSchema' }
    const hidden = disclosure('s-3', name, value)
    const jws = await token({ [name]: undefined, _sd: [hidden.digest] })
    expectFailure(await verify(showing(jws, hidden)), 'structure', 'malformed')
  },
)

it('the type of the present draft always needs a vct', async () => {
  expectFailure(await verify(showing(await token({}, 'dc+sd-jwt'))), 'structure', 'malformed')
})

it('another key than the issuer’s signs nothing', async () => {
  expectFailure(await verify(showing(await token({}, 'vc+sd-jwt', testKey()))), 'proof', 'invalid_signature')
  const stranger = await token({ issuer: testKey().did })
  expectFailure(await verify(showing(stranger)), 'issuerKey', 'not_the_issuer')
})
